"""What an experiment would do, call, send where and cost; nothing is called to find out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from mysteryshopper.core import Plan, Unit
from mysteryshopper.experiment.blocks import JudgeBlock, SystemBlock
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.config_checks import used_models
from mysteryshopper.experiment.expand import Variable, host_of, variables
from mysteryshopper.experiment.judge_calls import calls_of_judge
from mysteryshopper.experiment.kinds import REGISTRIES, SYSTEMS, USERS
from mysteryshopper.experiment.view import PlanView, calls_a_turn, planned_units, procedure_of
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.budget import cost

HERE = "this process"

_INSTRUCTIONS = (100, 500, 2000)  # tokens of a request's instructions
_TURN = 60  # tokens of a turn, where nothing is known
_DEFAULT_TURNS = 5
_ONE_EACH = (1, 1, 1)
_CASES = ("judge", "control_")


class Range(NamedTuple):
    """The least, the expected and the most of something; `most` is None where it has no bound."""

    least: float
    expected: float
    most: float | None


@runtime_checkable
class Foreseeing(Protocol):
    """A protocol that can tell how many calls a unit makes."""

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Return the least, expected and most calls of one unit by role, retries not counted.

        A role may name its block (`system mine`), where it is not the unit's own.
        Two of the roles are no calls but cases: `judge`, those of one exhibit, and `judge_pairs`, pairs; they are for
        every judge of systems, or for the one they name (`judge_pairs strict`). Cases about something else say so, for
        judges of that (`judge_pairs@users`). `control_ones` and `control_pairs` are cases that a unit may become, and
        name their sort (`control_pairs same`): of each sort a run has so many in all as the protocol's attribute
        `controls` says.
        """
        ...


@dataclass(frozen=True, slots=True)
class Arm:
    """Units of one user and system; either is empty where none takes part."""

    user: str
    system: str
    units: int


@dataclass(frozen=True, slots=True)
class CallRow:
    """The calls that one block makes or gets.

    Attributes:
        role: user, system, judge, or what else the protocol calls for.
        block: Name of the block.
        model: Name of its model; empty for a system that has none.
        host: Where the calls go; `this process` if nothing leaves it.
        calls: How many.
        input_tokens: All calls together; None where no model is behind it.
        output_tokens: As above.
        cost: In the unit of the prices; None where the price is unknown.
    """

    role: str
    block: str
    model: str
    host: str
    calls: Range
    input_tokens: Range | None
    output_tokens: Range | None
    cost: Range | None


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What an experiment would do.

    Attributes:
        protocol: Name of the protocol.
        seed: Seed of everything random.
        ids: How many distinct things are asked (scenarios, turns).
        repeats: How often each.
        units: All units, repeats included.
        arms: Units by user and system.
        rows: Calls by block; empty if the protocol can't tell.
        hosts: Blocks that send something to each host.
        variables: Environment variables used, and the hosts their values go to.
        cost: All rows together; None if a price is unknown.
        max_cost: The limit.
        retries: How often a failed call is sent again at most.
        foreseen: Whether the protocol could tell its calls.
    """

    protocol: str
    seed: int
    ids: int
    repeats: int
    units: int
    arms: tuple[Arm, ...]
    rows: tuple[CallRow, ...]
    hosts: Mapping[str, tuple[str, ...]]
    variables: tuple[Variable, ...]
    cost: Range | None
    max_cost: float | None
    retries: int
    foreseen: bool


def make_plan(experiment: Experiment) -> PlanReport:
    """Find out what an experiment would do. Reads its data and profiles, calls nothing, needs no key.

    Raises:
        ConfigError: It has nothing to do.
        DataError: Its data or profiles can't be read.
    """
    view = PlanView(experiment)
    procedure = procedure_of(experiment)
    arms: Counter[tuple[str, str]] = Counter()
    ids: set[str] = set()
    calls: dict[tuple[str, str], list[int]] = {}
    of_block = {("user", block.name): calls_a_turn(USERS.load(block.kind)) for block in experiment.users}
    of_block |= {("system", block.name): calls_a_turn(SYSTEMS.load(block.kind)) for block in experiment.systems}
    for unit in planned_units(experiment, procedure, view):
        arms[unit.user, unit.system] += 1
        ids.add(unit.id)
        hints = procedure.calls(unit, view) if isinstance(procedure, Foreseeing) else {}
        for hint, counts in hints.items():
            role, _, named = hint.partition(" ")
            block = named or {"user": unit.user, "system": unit.system}.get(role, role)
            total = calls.setdefault((role, block), [0, 0, 0])
            each = of_block.get((role, block), _ONE_EACH)
            for place, count in enumerate(counts):
                total[place] += count * each[place]
    asked = _Cases({key: calls.pop(key) for key in [*calls] if key[0].startswith(_CASES)}, procedure)
    cases = {block.name: asked.of(block) for block in experiment.judges}
    rows = tuple(_row(experiment, role, block, counts) for (role, block), counts in calls.items())
    rows += tuple(
        _row(experiment, "judge", block.name, calls_of_judge(experiment, block, *cases[block.name]))
        for block in experiment.judges
    )
    return PlanReport(
        protocol=experiment.protocol,
        seed=experiment.seed,
        ids=len(ids),
        repeats=experiment.repeats,
        units=arms.total(),
        arms=tuple(Arm(user, system, count) for (user, system), count in arms.items()),
        rows=rows,
        hosts=_hosts(experiment),
        variables=tuple(variables(experiment)),
        cost=_sum(rows),
        max_cost=experiment.limits.max_cost,
        retries=experiment.limits.retries,
        foreseen=isinstance(procedure, Foreseeing),
    )


class _Cases:
    """The cases of a run by what they are for: sums of the protocol's counts, controls no more than the run has."""

    def __init__(self, counts: Mapping[tuple[str, str], list[int]], procedure: object) -> None:
        self._counts = counts
        self._most = getattr(procedure, "controls", 0)

    def of(self, judge: JudgeBlock) -> tuple[list[int], list[int]]:
        """Return the least, expected and most cases of one exhibit that a judge is asked about, and the same of pairs.

        Those for all judges of its sort, its own, and the controls among them.
        """
        about = getattr(REGISTRIES["judges"].load(judge.kind), "about", "systems")
        at = "" if about == "systems" else f"@{about}"
        return self._sum(f"judge{at}", f"control_ones{at}", judge.name), self._sum(
            f"judge_pairs{at}", f"control_pairs{at}", judge.name
        )

    def _sum(self, role: str, controls: str, judge: str) -> list[int]:
        own = role.partition("@")[0]
        found = [self._counts.get(key, [0, 0, 0]) for key in dict.fromkeys(((role, role), (own, judge)))]
        found += [
            [min(count, self._most) for count in counts] for key, counts in self._counts.items() if key[0] == controls
        ]
        return [sum(counts) for counts in zip(*found, strict=True)]


def _row(experiment: Experiment, role: str, name: str, counts: list[int]) -> CallRow:
    calls = Range(*counts)
    block = next((block for key, block in experiment.sides() if key.startswith(role) and block.name == name), None)
    model = experiment.model_of(block) if block is not None else experiment.models.get(name)
    embeds = False
    if model is None and isinstance(block, SystemBlock):
        model = experiment.embedding_of(block)
        embeds = model is not None
    if model is None:
        host = (host_of(block) if block is not None else "") or HERE
        return CallRow(role, name, "", host, calls, None, None, Range(0, 0, 0) if host == HERE else None)
    taken = _input(calls, model, experiment.limits.turns)
    given = Range(0, 0, 0) if embeds else _output(calls, model)
    return CallRow(
        role,
        name,
        model.name or model.provider,
        host_of(model) or HERE,
        calls,
        taken,
        given,
        _cost(model, taken, given),
    )


def _input(calls: Range, model: ModelBlock, turns: int | None) -> Range:
    rounds = turns or _DEFAULT_TURNS
    least, usual, most = _INSTRUCTIONS
    longest = None if model.max_tokens is None or calls.most is None else most + 2 * rounds * model.max_tokens
    return Range(
        calls.least * least,
        calls.expected * (usual + rounds * _TURN),
        None if longest is None or calls.most is None else calls.most * longest,
    )


def _output(calls: Range, model: ModelBlock) -> Range:
    usual = min(_TURN, model.max_tokens or _TURN)
    most = None if model.max_tokens is None or calls.most is None else calls.most * model.max_tokens
    return Range(calls.least, calls.expected * usual, most)


def _cost(model: ModelBlock, taken: Range, given: Range) -> Range | None:
    if not host_of(model):
        return Range(0, 0, 0)
    if model.price is None:
        return None

    def money(tokens_in: float, tokens_out: float) -> float:
        return cost(model.price, round(tokens_in), round(tokens_out)) or 0.0

    most = None if taken.most is None or given.most is None else money(taken.most, given.most)
    return Range(money(taken.least, given.least), money(taken.expected, given.expected), most)


def _sum(rows: tuple[CallRow, ...]) -> Range | None:
    costs = [row.cost for row in rows if row.model or row.cost is not None]
    known = [found for found in costs if found is not None]
    if len(known) < len(costs):
        return None
    mosts = [found.most for found in known]
    return Range(
        sum(found.least for found in known),
        sum(found.expected for found in known),
        None if None in mosts else sum(most for most in mosts if most is not None),
    )


def _hosts(experiment: Experiment) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, host in _addresses(experiment):
        if host and name not in found.setdefault(host, []):
            found[host].append(name)
    return {host: tuple(names) for host, names in found.items()}


def _addresses(experiment: Experiment) -> Iterator[tuple[str, str]]:
    for name, model in used_models(experiment).items():
        yield f"model {name}", host_of(model)
    for block in experiment.systems:
        yield f"system {block.name}", host_of(block)
