"""What is promised, to whom, and on which assumption: one frozen record a promise.

A promise that rests on an assumption carries its words, and the promise that is left where the assumption fails.
"""

import html
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal

from sudare.errors import InvalidParameter
from sudare.guarantees.budget import Budget, not_negative, probability, readable, rounded_up
from sudare.guarantees.exact import LARGEST_EPSILON, exact_whole, exp_upper_bound
from sudare.texts import LANGUAGES, say, translated

Neighbors = Literal["replace-one", "add-remove"]


class Guarantee(ABC):
    """A promise as a value: compared, stored, said as a sentence. `.parts` are the promises that it was made of.

    Examples
    --------
    >>> promise: Guarantee = LocalDP("1/2")
    >>> promise.budget, promise.parts == (promise,)
    (Budget(epsilon=Fraction(1, 2), delta=Fraction(0, 1)), True)
    """

    kind: ClassVar[str]
    _kinds: ClassVar[dict[str, type["Guarantee"]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if Guarantee._kinds.setdefault(cls.kind, cls).__qualname__ != cls.__qualname__:
            raise TypeError(
                f"the kind {cls.kind!r} belongs to {Guarantee._kinds[cls.kind].__name__}: name another kind"
            )

    @property
    def budget(self) -> Budget | None:
        """What a ledger sums, or None where the promise has no ε and is recorded only."""
        return None

    @property
    def parts(self) -> tuple["Guarantee", ...]:
        """The promises that this one was made of; a simple promise is its own only part."""
        return (self,)

    @abstractmethod
    def sentence(self, language: str = "en") -> str:
        """Say the promise, with its assumption, in English or Japanese."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the promise as plain text and numbers; `from_dict` reads it again."""

    @classmethod
    @abstractmethod
    def _from_dict(cls, facts: Mapping[str, Any]) -> "Guarantee": ...

    def __str__(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        return "".join(f'<p lang="{language}">{html.escape(self.sentence(language))}</p>' for language in LANGUAGES)


def from_dict(facts: Mapping[str, Any]) -> Guarantee:
    """Read a promise that `.to_dict()` wrote.

    Examples
    --------
    >>> from_dict(LocalDP("1/3").to_dict()) == LocalDP("1/3")
    True
    """
    kind = Guarantee._kinds.get(str(facts.get("kind"))) if isinstance(facts, Mapping) else None
    try:
        if kind is not None:
            return kind._from_dict(facts)
    except (KeyError, TypeError):
        pass  # something is missing, or of another kind than such a promise has
    raise InvalidParameter("this is no known promise", where="kind", remedy="read it with the version that wrote it")


@dataclass(frozen=True)
class LocalDP(Guarantee):
    """ε-local differential privacy: any report is at most e^ε times as likely under one record as under another.

    `outputs=2` says that the report is one of two values, which the tight shuffle bound needs; it is never assumed.

    Examples
    --------
    >>> LocalDP("1").epsilon
    Fraction(1, 1)
    """

    kind = "local-dp"
    epsilon: Fraction
    outputs: int | None = None

    def __init__(self, epsilon: Any, outputs: int | None = None) -> None:
        object.__setattr__(self, "epsilon", not_negative(epsilon, name="epsilon"))
        whole = None if outputs is None else exact_whole(outputs, name="outputs", least=2)
        object.__setattr__(self, "outputs", whole)

    @property
    def budget(self) -> Budget:
        """What a ledger sums."""
        return Budget(self.epsilon)

    def shuffled(self, rows: int, delta: Any, bound: str | None = None) -> "ApproximateDP":
        """Return what an honest shuffle over `rows` people gains; the best valid bound, or the one named.

        Examples
        --------
        >>> promise = LocalDP("1").shuffled(rows=10_000, delta="1e-6")
        >>> promise.bound, promise.epsilon < 1, promise.otherwise
        ('stronger-clone', True, LocalDP(epsilon=Fraction(1, 1), outputs=None))
        """
        from sudare.guarantees.shuffling import shuffled

        return shuffled((self,), rows=rows, delta=delta, bound=bound)

    def sentence(self, language: str = "en") -> str:
        """Say the promise.

        Examples
        --------
        >>> LocalDP("1").sentence("ja")[:20]
        '本人の真の記録が何であっても、その報告の'
        """
        return say(
            "promise.local",
            language,
            epsilon=readable(self.epsilon),
            times=times_as_likely(self.epsilon),
            certainty=certainty_after(self.epsilon),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the promise as plain text and numbers.

        Examples
        --------
        >>> LocalDP("1/3").to_dict()
        {'kind': 'local-dp', 'epsilon': '1/3', 'outputs': None}
        """
        return {"kind": self.kind, "epsilon": str(self.epsilon), "outputs": self.outputs}

    @classmethod
    def _from_dict(cls, facts: Mapping[str, Any]) -> "LocalDP":
        return cls(facts["epsilon"], facts["outputs"])


@dataclass(frozen=True)
class ApproximateDP(Guarantee):
    """(ε, δ)-differential privacy of a release, under stated neighbors and assumptions.

    `otherwise` is the promise that is left where an assumption fails; `bound` names the theorem that gave ε.

    Examples
    --------
    >>> ApproximateDP("0.5", "1e-6", neighbors="replace-one").delta
    Fraction(1, 1000000)
    """

    kind = "approximate-dp"
    epsilon: Fraction
    delta: Fraction
    neighbors: Neighbors
    assuming: tuple[str, ...] = ()
    otherwise: LocalDP | None = field(default=None, kw_only=True)
    bound: str | None = field(default=None, kw_only=True)

    def __init__(
        self,
        epsilon: Any,
        delta: Any,
        neighbors: Neighbors,
        assuming: tuple[str, ...] = (),
        *,
        otherwise: LocalDP | None = None,
        bound: str | None = None,
    ) -> None:
        if neighbors not in ("replace-one", "add-remove"):
            raise InvalidParameter(
                "neighbors are not known", where="neighbors", remedy='write "replace-one" or "add-remove"'
            )
        values = {
            "epsilon": not_negative(epsilon, name="epsilon"),
            "delta": probability(delta, name="delta"),
            "neighbors": neighbors,
            "assuming": _assumptions(assuming),
            "otherwise": otherwise,
            "bound": bound,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def budget(self) -> Budget:
        """What a ledger sums."""
        return Budget(self.epsilon, self.delta)

    def sentence(self, language: str = "en") -> str:
        """Say the promise, its assumptions and what is left without them.

        Examples
        --------
        >>> print(ApproximateDP("0.5", "1e-6", neighbors="add-remove").sentence().partition("(")[2])
        ε = 0.5, δ = 1e-6).
        """
        parts = [
            say(
                f"promise.approximate_{self.neighbors.replace('-', '_')}",
                language,
                epsilon=readable(self.epsilon),
                delta=readable(self.delta),
                times=times_as_likely(self.epsilon),
            )
        ]
        if self.assuming:
            listed = say("list_separator", language).join(translated(text, language) for text in self.assuming)
            parts.append(say("promise.assuming", language, assumptions=listed))
        if self.otherwise is not None:
            parts.append(say("promise.otherwise", language, epsilon=readable(self.otherwise.epsilon)))
        return say("sentence_separator", language).join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the promise as plain text and numbers."""
        return {
            "kind": self.kind,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "neighbors": self.neighbors,
            "assuming": list(self.assuming),
            "otherwise": None if self.otherwise is None else self.otherwise.to_dict(),
            "bound": self.bound,
        }

    @classmethod
    def _from_dict(cls, facts: Mapping[str, Any]) -> "ApproximateDP":
        otherwise = None if facts["otherwise"] is None else LocalDP._from_dict(facts["otherwise"])
        return cls(
            facts["epsilon"],
            facts["delta"],
            facts["neighbors"],
            tuple(facts["assuming"]),
            otherwise=otherwise,
            bound=facts["bound"],
        )


@dataclass(frozen=True)
class Hidden(Guarantee):
    """Something stays hidden from somebody, on stated assumptions; it has no ε, so it is recorded and never summed.

    Examples
    --------
    >>> print(Hidden("each owner's gradient sums", "the server", assuming=("no owner helps the server",)))
    Hidden from the server: each owner's gradient sums. This rests on: no owner helps the server.
    """

    kind = "hidden"
    what: str
    from_whom: str
    assuming: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "assuming", _assumptions(self.assuming))
        _refuse_unsaid("what", self.what)
        _refuse_unsaid("from_whom", self.from_whom)

    def sentence(self, language: str = "en") -> str:
        """Say what is hidden, from whom, on which assumption."""
        what, whom = translated(self.what, language), translated(self.from_whom, language)
        parts = [say("promise.hidden", language, what=what, whom=whom)]
        if self.assuming:
            listed = say("list_separator", language).join(translated(text, language) for text in self.assuming)
            parts.append(say("promise.assuming", language, assumptions=listed))
        return say("sentence_separator", language).join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the promise as plain text."""
        return {"kind": self.kind, "what": self.what, "from_whom": self.from_whom, "assuming": list(self.assuming)}

    @classmethod
    def _from_dict(cls, facts: Mapping[str, Any]) -> "Hidden":
        return cls(facts["what"], facts["from_whom"], tuple(facts["assuming"]))


def _assumptions(assuming: Any) -> tuple[str, ...]:
    texts = (assuming,) if isinstance(assuming, str) else tuple(assuming) if isinstance(assuming, Iterable) else (None,)
    for text in texts:
        _refuse_unsaid("assuming", text)
    return texts


def _refuse_unsaid(name: str, text: Any) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InvalidParameter(f"{name} is not said", where=name, remedy="say it in a few words")


def times_as_likely(epsilon: Fraction) -> str:
    """Return e^ε for a reader, rounded up."""
    if epsilon > LARGEST_EPSILON:
        return f"e^{readable(epsilon)}"
    bound = exp_upper_bound(epsilon)
    # As many digits as tell e^ε from 1: a promise is never said to be stronger than it is.
    digits = 3 if epsilon >= Fraction(1, 10) or not epsilon else 2 - Decimal(float(epsilon)).adjusted()
    return rounded_up(_decimal(bound), digits)


def certainty_after(epsilon: Fraction) -> str:
    """Return, in percent, how sure an even guess can become at most: e^ε / (1 + e^ε)."""
    times = exp_upper_bound(min(epsilon, LARGEST_EPSILON))
    share = 100 * times / (1 + times)
    if share > Fraction("99.99"):
        return "99.99+"
    # Rounded up, to the first digit in which it differs from an even guess or from certainty.
    digits = 3 if share < Fraction("99.9") else 4
    while share > 50 and digits < 12 and Fraction(rounded_up(_decimal(share), digits)) - share > (share - 50) / 10:
        digits += 1
    return rounded_up(_decimal(share), digits)


def _decimal(number: Fraction) -> Decimal:
    return Context(prec=100).divide(Decimal(number.numerator), Decimal(number.denominator))
