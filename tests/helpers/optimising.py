"""An endpoint that writes, reviews and judges as it is told to, and a user whose every line shows its prompt."""

import json
import re

from mysteryshopper.testing import FakeServer

PEOPLE = 6

USER = """
import re
from pathlib import Path
from pydantic import BaseModel
from mysteryshopper.core import UserTurn

class Options(BaseModel):
    prompt: str = "initial"
    path: str | None = None
    calls_model: bool = False

class Told:
    options = Options
    def __init__(self, options, parts):
        self.text = (parts.folder / options.path).read_text("utf-8") if options.path else ""
        self.model = parts.model() if options.calls_model else None
    @classmethod
    def build(cls, options, parts):
        return cls(options, parts)
    def start(self, scenario, rng):
        return {}
    async def speak(self, view, state):
        mark = re.match(r"[\\w.-]*", self.text)[0]
        if mark.endswith("-breaks") and view.scenario.id in ("person-0", "person-1"):
            return UserTurn(""), state  # an empty turn is the user's own fault
        if self.model is not None:
            from mysteryshopper.core import ChatMessage, ChatRequest
            await self.model.chat(ChatRequest((ChatMessage("user", f"{mark} {view.turn}"),)), view.address)
        text = f"[{mark}] line {view.turn} of {view.scenario.id}"
        return UserTurn(text, end="done" if view.turn == 2 else None), state

class Slotted(Told):
    class options(BaseModel):
        instruction: str = ""
    def __init__(self, options, parts):
        self.text, self.model = options.instruction, None
"""


class Director:
    """What the endpoint says. Round r writes `texts[r]`, by default `v<r> …`; `scores[r]` are its (wins, losses)."""

    def __init__(self, scores=(), texts=None, problems=("Says the same thing again.",), second=None):
        self.scores = dict(enumerate(scores, 1))
        self.texts = texts or {}
        self.problems = problems
        self.second = second  # what the judge `other` says: its own scores
        self.first = 0  # number of the first text
        self.numbers = {}
        self.asked = {"writer": 0, "judge": 0, "other": 0, "speaker": 0}

    def __call__(self, seen):
        body = seen.body
        self.asked[body["model"]] += 1
        if body["model"] == "writer":
            return self._write(body)
        if body["model"] == "speaker":
            return self._speak(body)
        return self._judge(body)

    def _write(self, body):
        properties = body["response_format"]["json_schema"]["schema"]["properties"]
        if "problems" in properties:
            return json.dumps({"problems": list(self.problems)})
        # by the question: one that comes again, after a kill, gets the answer it got
        number = self.numbers.setdefault(json.dumps(body["messages"]), len(self.numbers) + self.first)
        return json.dumps({"instruction": self.texts.get(number, f"v{number} Be a person.")})

    @staticmethod
    def _speak(body):
        """A user of kind `adaptsim`: what it says shows its prompt, its person, and how often it spoke."""
        told = "\n".join(message["content"] for message in body["messages"])
        mark, person = re.search(r"v\d+", told), re.search(r"for evening (\d+)", told)
        if person is None:
            return "hello"
        turn = 1 + sum(message["role"] == "assistant" for message in body["messages"])
        text = f"[{mark[0]}] line {turn} of person-{person[1]}" + (" [END]" if turn > 1 else "")
        return json.dumps({"thought": "hm", "action": "say it", "reply": text})

    def _judge(self, body):
        text = body["messages"][-1]["content"]
        marks = re.findall(r"\[v(\d+)[\w-]*\] line 1 of person-(\d+)", text)
        (first, person), (other, _) = marks[0], marks[-1]
        new, old = max(int(first), int(other)), min(int(first), int(other))
        scores = self.scores if body["model"] == "judge" or self.second is None else self.second
        wins, losses = scores.get(new, (0, 0))
        better = new if int(person) < wins else old if int(person) < wins + losses else None
        place = "tie" if better is None or new == old else "A" if int(first) == better else "B"
        names = body["response_format"]["json_schema"]["schema"]["properties"]
        return json.dumps(dict.fromkeys(names, place))


def content(url, **changes):
    """The content of an experiment file."""
    at = {"base_url": f"{url}/v1", "max_tokens": 64, "price": {"input": 0.0, "output": 1.0}}
    options = {"model": "writer", "batch": PEOPLE, "controls": 0, "conversation": {"guard": "off", "rating": False}}
    return {
        "protocol": "prompt-optimisation",
        "seed": 7,
        "models": {name: {"name": name, **at} for name in ("writer", "judge", "other", "speaker")},
        "user": {"name": "plain", "kind": "told", "profiles": "people.jsonl"},
        "system": {"name": "shop", "kind": "http", "url": f"{url}/reply", "memory": "messages"},
        "judges": [{"name": "duel", "kind": "simulators", "model": "judge"}],
        "limits": {"turns": 2, "concurrency": 8},
        **changes,
        "options": {**options, **changes.get("options", {})},
    }


class Served:
    """A director behind a fake server: `chat` is directed, `/reply` says a fixed thing."""

    def __init__(self, director: Director, **server) -> None:
        self.director = director
        self.server = FakeServer(self._say, **server)

    def _say(self, seen):
        return "Here is something." if seen.door == "reply" else self.director(seen)
