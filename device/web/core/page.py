"""A page: its skeleton, script and style sheets."""

from dataclasses import dataclass
from typing import Final

_CARDS: Final = ("layout", "controls", "bar", "history", "notices", "panels", "pages")


def cards(*, with_history: bool = False) -> tuple[str, ...]:
    """Return the style sheets of a page made of cards."""
    return tuple(f"css/{name}" for name in _CARDS if with_history or name != "history")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `features/FOLDER/NAME.js`, with `NAME.html` where `ui/page.html` does not do as its body.

    Attributes:
        sheets: Style sheets in the order in which a browser loads them, without `.css`: paths in `ui`, or after `./` in
            the feature's folder.
        sections: Of the menu; the first is marked there.
        has_bar: Whether it has the bar with menu and Back, in the theme that a person chose. A kiosk opens no other.
    """

    folder: str
    name: str
    title: str
    heading: str
    sheets: tuple[str, ...]
    sections: tuple[str, ...] = ("roll",)
    is_app: bool = False
    has_bar: bool = True

    @property
    def files(self) -> list[str]:
        """The style sheets by their paths in `STATIC`."""
        own = f"features/{self.folder}/"
        sheets = ("css/base", *(["css/menu", "css/dialog"] if self.has_bar else []), *self.sheets)
        return [f"{own + name[2:] if name.startswith('./') else f'ui/{name}'}.css" for name in sheets]
