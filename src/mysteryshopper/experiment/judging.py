"""The judges' stage: every case to every judge that takes it, as often as its block says; what was ruled stays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mysteryshopper.core import CallFailed, Case, ConfigError, Judge, StopRun, StoredVerdict, Unjudged, digest, encode
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.house import House
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.verdict_shelf import case_key
from mysteryshopper.experiment.workers import work_through

_IDENTITY = {"provider", "name", "form", "params", "temperature", "max_tokens", "reply_format"}
_EXHIBITS = {"one": 1, "pair": 2}


@dataclass(frozen=True, slots=True)
class _Sitting:
    """A judge at work: its block's name, its key, what it takes, and how often it is asked."""

    name: str
    key: str
    judge: Judge
    repeats: int

    def takes(self, case: Case) -> bool:
        """Whether it is asked about such a case."""
        if case.data.get("about", "systems") != getattr(self.judge, "about", "systems"):
            return False
        if self.name in case.data.get("without", ()):
            return False
        taken = getattr(self.judge, "takes", None)
        return taken is None or len(case.exhibits) == _EXHIBITS[taken]


@dataclass(frozen=True, slots=True)
class _Ask:
    """One question to one judge: a case, and for which time."""

    case: Case
    to: _Sitting
    repeat: int


def judge_key(experiment: Experiment, name: str, judge: Judge) -> str:
    """Return the digest of what makes a judge who it is: name, kind, options, criteria, prompt, model without its pace.

    A judge says which prompt it uses in an attribute `prompt` (name and hash of its template), if it uses any, and in
    `criteria` what it asks about cases that bring no criteria. How often it is asked is no part of it.
    """
    block = next(block for block in experiment.judges if block.name == name)
    model = experiment.model_of(block)
    identity = None if model is None else model.model_dump(mode="json", include=_IDENTITY)
    criteria = encode(tuple(getattr(judge, "criteria", ())))
    return digest(name, block.kind, block.options, criteria, getattr(judge, "prompt", ""), identity)


async def judge_all(
    store: RunStore,
    house: House,
    experiment: Experiment,
    told: Callable[[str], None] = lambda status: None,
    counted: Callable[[int], None] = lambda total: None,
    cases: Sequence[Case] | None = None,
    judges: Collection[str] | None = None,
) -> int:
    """Ask every judge about every case that it takes and has not ruled on yet.

    A case without criteria gets the judge's own; the address of its calls names the judge, and a further repeat.

    Args:
        store: Where cases come from and verdicts go.
        house: Builds the judges.
        experiment: Names the judges; its `limits.concurrency` cases are in flight at most.
        told: Called after each case, with `ok` or how it failed.
        counted: Called once, with the number of cases to ask about.
        cases: What they are asked about; by default the protocol's cases.
        judges: Names of those who are asked; by default all.

    Returns:
        How many could not be judged; they are kept as such, and asked about again on resume.

    Raises:
        StopRun: Something makes all further calls pointless; verdicts so far are kept.
    """
    asked = [
        _Sitting(block.name, judge_key(experiment, block.name, judge), judge, block.repeats)
        for block in experiment.judges
        if judges is None or block.name in judges
        for judge in (house.judge(block.name),)
    ]
    if not asked:
        return 0

    def asks() -> Iterator[_Ask]:
        return _asks(store, house.procedure.cases(store) if cases is None else cases, asked)

    counted(sum(1 for _ in asks()))
    failed = 0

    async def judge(ask: _Ask) -> None:
        nonlocal failed
        status = await _one(ask, store)
        failed += status != "ok"
        told(status)

    await work_through(asks(), experiment.limits.concurrency, judge)
    return failed


def _asks(store: RunStore, cases: Iterable[Case], judges: list[_Sitting]) -> Iterator[_Ask]:
    for case in cases:
        key = case_key(case)
        for judge in judges:
            if not judge.takes(case):
                continue
            for repeat in range(judge.repeats):
                if not store.has_verdict(key, judge.key, repeat):
                    yield _Ask(_filled(case, judge, repeat), judge, repeat)


def _filled(case: Case, judge: _Sitting, repeat: int) -> Case:
    address = replace(
        case.address,
        unit=case.address.unit or case.unit,
        path=case.address.path or case.id,
        role="judge",
        component=judge.name,
        purpose=f"again {repeat}" if repeat else "",
    )
    criteria = case.criteria or tuple(getattr(judge.judge, "criteria", ()))
    return replace(case, criteria=criteria, address=address)


async def _one(ask: _Ask, store: RunStore) -> str:
    """Return `ok`, or how it failed."""
    case, to = ask.case, ask.to
    try:
        verdict = await to.judge.judge(case)
        await store.put_verdict(StoredVerdict(case, verdict, to.name, to.key, ask.repeat))
        return "ok"
    except StopRun:
        raise
    except ConfigError as error:  # what can't be used for this case can't be used for any
        raise StopRun(str(error)) from error
    except CallFailed as failure:
        status, reason = failure.ended, str(failure)
    except Exception as error:  # a plug-in may raise anything; it must not take the other verdicts with it
        status, reason = "unreadable", f"{type(error).__name__}: {error}"
    await store.put_unjudged(Unjudged(case, to.name, to.key, status, reason, ask.repeat))
    return status
