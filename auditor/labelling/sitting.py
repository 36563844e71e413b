"""A person at work on labels: what they are asked in what order, and what is written of it.

Owns the sitting with its blind repeats and undo; and gathers the labels that the turns of a session
imply about one another. Who is drawn is `drawing`'s. Knows no screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from secrets import SystemRandom

from msgspec import Struct

from auditor.implicit import Reading, hindsight, implicit
from auditor.label_rows import Sample
from auditor.labelling.drawing import REPEATED, Policy, Queue, chance, fill, repeats
from auditor.labels import Label, Nudge, Reason, Source
from auditor.sieve import Signals
from auditor.store import Kept, Store, Text, address
from auditor.turn import Turn


class Item(Struct, frozen=True):
    """One turn to ask about; `todos`: what is known of its list, in a line."""

    turn: str
    sample: int
    text: Text
    todos: str | None


def sitting(  # noqa: PLR0913 - who, when, what and how much
    store: Store,
    queues: Iterable[Queue],
    *,
    rater: str,
    limit: int,
    now: float,
    policy: Policy | None = None,
) -> list[Item]:
    """Choose the turns to ask about now, shuffled, repeats among them; `now`: Unix seconds."""
    wanted, name = list(queues), policy.name if policy else None
    texts = fill(store, wanted, policy)
    if wanted == [Queue.REPEAT]:
        return _items(store, repeats(store, rater, limit, now=now, texts=texts))
    fresh = [sample for sample in _fresh(store, wanted, rater, name) if sample.turn in texts]
    most = min(limit, round(len(fresh) / (1 - REPEATED)))
    count = round(most * REPEATED)
    again = _items(store, repeats(store, rater, count, now=now, texts=texts))
    chosen = _items(store, fresh[: limit - len(again)])
    for item in again:
        chosen.insert(SystemRandom().randint(0, len(chosen)), item)
    return chosen


def _fresh(store: Store, queues: list[Queue], rater: str, policy: str | None) -> list[Sample]:
    """Give the drawings that the rater has not answered, shuffled; of a turn drawn twice, one.

    Those for the certificate of another policy are left out: they would count for nothing.
    """
    seen = {label.turn for label in store.labels([Source.HUMAN]) if label.rater == rater}
    waiting = {
        sample.turn: sample
        for queue in queues
        for sample in store.samples(queue)
        if sample.turn not in seen
        and queue is not Queue.REPEAT
        and (queue is not Queue.CERTIFICATION or sample.policy == policy)
    }
    return sorted(waiting.values(), key=lambda sample: chance(rater, sample.turn))


def _items(store: Store, samples: Iterable[Sample]) -> list[Item]:
    """Make the items of drawings."""
    found = [(sample, store.kept(sample.turn)) for sample in samples]
    return [
        Item(sample.turn, sample.id, kept.text, _todos(kept))
        for sample, kept in found
        if kept is not None and kept.text is not None
    ]


def _todos(kept: Kept) -> str | None:
    signal = kept.audit.signals.get("open_todos")
    return signal.evidence if signal else None


class Sitting:
    """A person at work: where they are, and what they answered. Every answer is kept at once."""

    def __init__(self, store: Store, items: list[Item], rater: str) -> None:
        self._store, self._items, self._rater = store, items, rater
        self._path: list[int] = []
        self._last = 0.0
        self.place = 0
        self.answered: dict[int, Label] = {}
        self.total = len(items)

    @property
    def item(self) -> Item | None:
        """What is asked now; None: all is done."""
        return self._items[self.place] if self.place < self.total else None

    def answer(self, nudge: Nudge, reason: Reason | None, now: float) -> None:
        """Keep the answer and go on; after `undo` it replaces the one before, which stays kept."""
        item = self._items[self.place]
        self._last = max(now, self._last + 0.001)  # the later one counts
        label = Label(
            turn=item.turn,
            nudge=nudge,
            source=Source.HUMAN,
            at=self._last,
            reason=reason,
            rater=self._rater,
            blind=True,
            sample=item.sample,
        )
        self._store.add_labels([label])
        self.answered[self.place] = label
        self.skip()

    def skip(self) -> None:
        """Go on without a word; the turn waits for another sitting."""
        self._path.append(self.place)
        self.place += 1

    def undo(self) -> bool:
        """Go back to the turn before; whether there is one."""
        if not self._path:
            return False
        self.place = self._path.pop()
        return True


class _Before(Struct, frozen=True):
    """The last turn of a session, its signals, and the turn before it."""

    turn: Turn
    signals: Signals | None
    earlier: Turn | None


class Collector:
    """Gathers what consecutive turns of sessions say about one another; give it turn by turn."""

    def __init__(self) -> None:
        self._before: dict[str, _Before] = {}

    def take(
        self, turn: Turn, signals: Signals | None = None, *, wanted: bool = True
    ) -> list[Label]:
        """Read the next turn of a session; give the labels of the turns before it.

        `signals`: what the sieve saw in `turn`, where it has run already. `wanted`: whether it
        may say anything new; one that was read before did so then.
        """
        last = self._before.get(turn.session)
        self._before[turn.session] = _Before(turn, signals, last.turn if last else None)
        if last is None or not wanted:
            return []
        found = _labelled(last.turn, implicit(last.turn, turn, last.signals), turn)
        found += _labelled(last.turn, hindsight(turn), turn)
        if last.earlier is not None:
            seen = hindsight(last.turn, turn)
            found += _labelled(last.earlier, seen, turn) if seen != hindsight(last.turn) else []
        return found


def collected(turns: Iterable[Turn]) -> Iterator[Label]:
    """Gather the labels that turns, each session's in its order, say about one another."""
    collector = Collector()
    for turn in turns:
        yield from collector.take(turn)


def _labelled(turn: Turn, reading: Reading | None, after: Turn) -> list[Label]:
    """Make the label of a reading; `at` is when `after` was, so that the same is made again."""
    if reading is None:
        return []
    at = after.ended if reading.source is Source.HINDSIGHT else after.started
    when = at or after.started or after.ended or turn.ended or turn.started or 0.0
    return [
        Label(
            turn=address(turn).hex(),
            nudge=reading.nudge,
            source=reading.source,
            at=when,
            reason=reading.reason,
            rule=reading.rule,
        )
    ]
