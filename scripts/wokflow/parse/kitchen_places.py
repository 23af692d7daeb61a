"""Where food is in a kitchen, and how it moves; `kitchen` says which verbs move it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wokflow.parse import kinds
from wokflow.parse import lexemes as lx
from wokflow.parse.doings import PARTS, KitchenAction, comes_back, distinct, dries, mains, without
from wokflow.parse.kinds import DOUGHS, aromatic, cold, fat, medium, mixed, oil, soft, watery
from wokflow.parse.types import Mention

KEPT = 8  # number of groups of prepared food that are remembered


@dataclass(slots=True)
class Places:
    """The pot, the bench, and at which of the two the cook is. Foods are kept in the order in which they came."""

    pot: list[Mention] = field(default_factory=list)
    bench: list[Mention] = field(default_factory=list)
    before: list[Mention] = field(default_factory=list)  # the bench's group before this one, if not set aside
    added: list[Mention] = field(default_factory=list)  # what the last action added, if it added
    prepared: bool = False  # the last action prepared food
    just_taken: bool = False  # the last action took food out of the pot
    at_pot: bool = False
    set_aside: bool = False  # the bench's food: what is named next begins a new group
    plated: bool = False  # the bench holds what left the pot for good
    taken: bool = False  # food was taken out of the pot since something last went in
    apart: bool = False  # the bench's food was blanched beside a pot that holds other food
    away: bool = False  # the cook was at the bench since something last went into the pot
    vessel: tuple[str, str] = ("", "")  # the heated vessel that was named last, and its class
    bowls: set[str] = field(default_factory=set)  # the classes of what the bench's food lies in, where named
    stuffed: list[Mention] = field(default_factory=list)  # food and its stuffing, which cook together
    plates: list[list[Mention]] = field(default_factory=list)  # groups of the bench that others came after
    left_over: bool = False  # the last action left a liquid in the pot: 留底油，热锅
    boils: bool = False  # the last heat was of water alone: 水开，上锅蒸
    marinade: set[str] = field(default_factory=set)  # the classes of what the bench's food was marinated in
    others: list[Mention] = field(default_factory=list)  # what is in another pot on heat
    empty: bool = False  # another pot was fetched, and nothing went in
    mixed_in: list[Mention] = field(default_factory=list)  # what the last action mixed, at the pot
    unmixed: str = ""  # the class of a mixture's name whose parts are to come: 调酱汁
    bakes: bool = False  # the last heat was an oven's or steam: what it cooked leaves it together

    def fries(self, verb: str) -> bool:
        """Whether a verb of soaking is to fry: what is soaked is in a pot of oil (油烧热，下花生泡三分钟)."""
        oily = any(map(oil, self.pot)) and not any(map(watery, self.pot))
        return verb[0] in lx.STEEPING and self.at_pot and oily and not all(map(aromatic, self.pot))

    def here(self) -> list[Mention]:
        """The food at the place in use; that of the other place if there is none."""
        return (self.pot or self.bench) if self.at_pot else (self.bench or self.pot)

    def name_mixture(self, doing: KitchenAction) -> None:
        """Let a mixture's name take the place of its parts: after 生抽加醋搅匀, 倒入料汁 adds both.

        Of several groups it is the last, or the last with a food of that name (蛋糊), and not what goes into it.
        """
        for name in filter(mixed, doing.foods):
            groups = [*([] if doing.onto else [self.bench]), self.before, *reversed(self.plates)]
            groups = [group for group in groups if self.may_be(name, group)]
            known = {food.cls for food in self.bench}
            if groups and name.cls not in known:
                alike = (group for group in groups if len(without(group, [name])) < len(group))
                parts = list(next(alike, groups[0]))
                for group in groups:
                    group[:] = [name] if group == parts else group

    def may_be(self, name: Mention, group: Sequence[Mention]) -> bool:
        """Whether a group of food that was prepared may be the mixture of this name."""
        sauce = not name.surface.endswith(DOUGHS)
        return (
            (len(group) > 1 or any(map(mixed, group)))
            and name.cls not in {food.cls for food in group}
            and all(map(aromatic, group)) is sauce
        )

    def serving(self) -> list[Mention]:
        """What is on the bench when it goes into the pot, without what it was marinated in; nothing stays behind."""
        served = [food for food in self.bench if food.cls not in self.marinade] or self.bench
        self.bench, self.marinade = [], set()
        return served

    def another_pot(self) -> None:
        """Go on with an empty pot, while the food of the first stays in it."""
        if not (self.taken or all(map(aromatic, self.pot))):
            self.others = self.pot
        self.pot, self.at_pot, self.taken, self.empty = [], True, False, True

    def shelve(self, group: Sequence[Mention]) -> None:
        """Remember a group of food that another takes the place of, for when something goes onto it."""
        if mains(group):
            dry = [food for food in group if not cold(food)]
            self.plates = [*self.plates[1 - KEPT :], dry]

    def in_pot(self, food: Mention) -> bool:
        """Whether the pot holds a food by its class or kind."""
        return len(without(self.pot, [food])) < len(self.pot)

    def plate_of(self, place: Sequence[Mention]) -> list[Mention]:
        """What lies on the plate of this food: the bench's food, or what was shelved with it, else the food alone."""
        if len(without(place, self.bench)) < len(place):
            return distinct([food for food in (*self.bench, *place) if not cold(food)])
        plate = self.fetch(place)
        return distinct([*self.bench, *place]) if self._serves() and plate == list(place) else plate

    def _serves(self) -> bool:
        """Whether the bench's food lies on the plate in use, and is not set aside."""
        return self.plated or not (self.set_aside or all(map(aromatic, self.bench)))

    def fetch(self, place: Sequence[Mention]) -> list[Mention]:
        """The food of the place, and what lies with it: the latest group that was shelved with one of them."""
        for plate in reversed(self.plates):
            if len(without(place, plate)) < len(place):
                self.plates.remove(plate)
                return distinct([*plate, *place])
        return list(place)

    def gather(self, foods: Sequence[Mention]) -> None:
        """Let what was prepared of these foods join what is on the bench, each with what lies with it."""
        groups = [group for group in [self.before, *self.plates] if len(without(foods, group)) < len(foods)]
        if groups:
            self.plates = [plate for plate in self.plates if plate not in groups]
            self.bench, self.before = distinct([food for group in groups for food in group] + self.bench), []

    def join_before(self) -> None:
        """The bench's food with the group before it, if its own only flavours."""
        if all(map(aromatic, self.bench)):
            self.bench, self.before = distinct([*self.before, *self.bench]), []

    def holds_apart(self) -> bool:
        """Whether pot and bench hold separate food, so that blanched food is not in the pot."""
        return not (all(map(aromatic, self.pot)) or all(map(aromatic, self.bench)))

    def is_part(self, food: Mention) -> bool:
        """Whether the food is a part of what is there: 鸡皮, where a chicken is."""
        there = [other for other in (*self.bench, *self.pot) if other.cls != food.cls]
        return food.surface[-1] in PARTS | lx.PART_HEADS and len(without(there, [food])) < len(there)

    def seasons_another(self, doing: KitchenAction) -> bool:
        """Whether seasonings are added to named food that is not there yet: 蒜加盐."""
        there = [*self.bench, *self.pot]
        return doing.seasons and len(without(there, doing.topics(doing.foods))) == len(there)

    def just_added(self, doing: KitchenAction) -> list[Mention]:
        """The food that an action added, with what it was worked into: all of 包入豆沙 goes into the pot next."""
        worked_in = doing.verb[0] in lx.COATING | lx.STUFFING and not self.at_pot
        return self.bench if doing.foods and worked_in else list(doing.foods)

    def to_bench(self) -> None:
        self.at_pot = self.set_aside = self.plated = False

    def into_pot(
        self, foods: Sequence[Mention], dry: bool = False, coats: bool = False, anew: bool = False
    ) -> None:
        """Put food into the pot. That is empty if the cook was elsewhere and fries now, or takes fresh water.

        What is left on the bench of a group whose food went in, such as its marinade, is not another group.
        """
        fries = any(map(oil, foods)) and (self.taken or self.away or anew) and not coats
        water = self.taken and self.away and any(map(watery, foods)) and any(map(watery, self.pot))
        if fries or water or (self.taken and dry):
            self.pot = []
        if len(without(self.stuffed, foods)) < len(self.stuffed):
            foods, self.stuffed = [*foods, *self.stuffed], []
        self.pot = distinct([*self.pot, *foods])
        self.taken = self.away = self.empty = False
        rest = without(self.bench, foods)
        self.bench = [] if len(rest) < len(self.bench) and all(map(soft, rest)) else rest

    def add_to_pot(
        self, doing: KitchenAction, named: Sequence[Mention], later: Sequence[KitchenAction]
    ) -> None:
        """Put named food into the pot.

        That is emptied first if the food had left it, or if food that lay in water is next cooked dry. Water that is
        added to what was prepared takes this along.
        """
        if self.taken and self.away and any(map(watery, self.pot)) and dries(later):
            self.pot = []
        if doing.tools and comes_back(self.pot, named, later):
            self.pot = []
        wet = not doing.tools and all(map(soft, named)) and not any(map(fat, named))
        if wet and not (self.at_pot or self.set_aside or self.pot):  # water comes to what was prepared
            self.pot, self.bench = self.bench, []
        self.into_pot(named, coats=doing.verb[0] in lx.COATING, anew=bool(doing.tools))
        self.at_pot, self.plated = True, self.plated and bool(self.bench)

    def change_vessel(self, tools: Sequence[Mention]) -> None:
        """Go on with an empty pot if the named one is another than that from which food was taken out.

        锅 alone may be any pot: 锅中加水，放入鱼丸煮熟，捞出，牛肉放入炒锅.
        """
        named = next(((tool.surface, tool.cls) for tool in tools if kinds.heated(tool)), self.vessel)
        one = named[0] == self.vessel[0] or (len(self.vessel[0]) > 1 and named[1] == self.vessel[1])
        if len(named[0]) > 1 and not one and self.taken and self.away:
            self.pot = []
        self.vessel = named

    def lift(self) -> None:
        """Let food lie above the water that was there first, or was brought to the boil alone: 水开，上锅蒸."""
        food_at = next((at for at, food in enumerate(self.pot) if not medium(food)), len(self.pot))
        below = len(self.pot) if self.boils else food_at
        self.pot = [food for at, food in enumerate(self.pot) if at > below or not watery(food)]
