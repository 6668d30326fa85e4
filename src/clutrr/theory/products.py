"""Products: theories of things that are compared in several ways that have nothing to do with each other.

    class Blocks(Product):
        name = "blocks"
        components = {"across": Order, "up": Order, "deep": Order}

A thing is one of each component, and a kind says what the second is to the first in every one: `< = >` is
further left, as high, and further back. `Product("blocks", across=Order, up=Order, deep=Order)` is the same in
one line. Parts that depend on each other, such as place and length of intervals, are no product.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, ClassVar

from clutrr.errors import WorldError
from clutrr.theory.models import ModelTheory, presets
from clutrr.theory.spec import Assumption
from clutrr.theory.tractable import SetClasses

BETWEEN = " "  # the kinds of the components, in the name of a kind
_MOST_CLASSES = 5000  # sets that are listed


class Product(ModelTheory):
    """A theory made of independent ones, its components, each by the name of what it compares."""

    components: ClassVar[Mapping[str, type[ModelTheory]]] = {}

    def __new__(cls, name: str = "", /, **components: type[ModelTheory]) -> Any:
        """Return the theory of a subclass; or, called with a name and components, the class itself."""
        if cls is Product:
            if not (name and components):
                raise TypeError('Product takes a name and components: Product("blocks", up=Order)')
            about = {"name": name, "components": components, "__doc__": "A product of theories."}
            return type(name.title().replace("-", ""), (Product,), about)
        return super().__new__(cls)

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if not cls.components:
            raise WorldError(f"theory {cls.name}: a product needs components")
        parts = cls.components.values()
        cls.kinds = tuple(map(BETWEEN.join, product(*(part.kinds for part in parts))))
        cls.distributive = all(part.eliminates() for part in parts)
        if "assumptions" not in vars(cls):
            cls.assumptions = (cls._assumption(),)
        if "presets" not in vars(cls):
            cls.presets = presets(cls.assumptions[-1].name)

    @classmethod
    def _assumption(cls) -> Assumption:
        """Return what all components take for granted."""
        each = [(name, part.assumptions[-1]) for name, part in cls.components.items()]
        about = " ".join(f"{name.capitalize()}: {one.about}" for name, one in each)
        brief = ", and ".join(f"{name} {one.brief}" for name, one in each)
        return Assumption("independent", brief, f"{about} None of these depends on another.")

    @classmethod
    def things(cls) -> Sequence[tuple[Any, ...]]:
        return list(product(*(part.things() for part in cls.components.values())))

    @classmethod
    def relation(cls, a: tuple[Any, ...], b: tuple[Any, ...]) -> str:
        parts = zip(cls.components.values(), a, b, strict=True)
        return BETWEEN.join(part.relation(one, other) for part, one, other in parts)

    @classmethod
    def with_part(cls, component: str, kind: str) -> tuple[str, ...]:
        """Return the kinds that say this of a component, whatever they say of the others."""
        place = list(cls.components).index(component)
        return tuple(one for one in cls.kinds if one.split(BETWEEN)[place] == kind)

    def neighbours(self) -> Mapping[str, Collection[str]] | None:
        """Return the kinds in which one component has changed at once."""
        near = {name: part().neighbours() for name, part in self.components.items()}
        if None in near.values():
            return None
        found: dict[str, list[str]] = {}
        for kind in self.kinds:
            parts = kind.split(BETWEEN)
            found[kind] = [
                BETWEEN.join([*parts[:i], other, *parts[i + 1 :]])
                for i, (part, each) in enumerate(zip(parts, near.values(), strict=True))
                for other in (each or {})[part]
            ]
        return found

    @classmethod
    @cache
    def set_classes(cls) -> SetClasses:
        """Return the products of the components' sets: what is simple in each is simple in all."""
        parts = [part.set_classes() for part in cls.components.values()]
        convex = cls._products([part.convex for part in parts])
        tractable = cls._products([part.tractable for part in parts])
        return SetClasses(
            convex, tractable or convex or frozenset(1 << i for i in range(len(cls.kinds)))
        )

    @classmethod
    def _products(cls, classes: Sequence[Any]) -> frozenset[int]:
        """Return the products of sets of each component; none if they are too many to list."""
        size = 1
        for one in classes:
            size *= len(one)
        if size > _MOST_CLASSES:
            return frozenset()
        return frozenset(map(cls._mask, product(*classes)))

    @classmethod
    def _mask(cls, parts: Sequence[int]) -> int:
        """Return the set of kinds that are in a set of each component."""
        held = [
            {kind for i, kind in enumerate(theory.kinds) if mask >> i & 1}
            for theory, mask in zip(cls.components.values(), parts, strict=True)
        ]
        number = {kind: i for i, kind in enumerate(cls.kinds)}
        return sum(1 << number[BETWEEN.join(kinds)] for kinds in product(*held))
