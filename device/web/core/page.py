"""A page: its skeleton, script and style sheets."""

from dataclasses import dataclass
from typing import Final

_CARDS: Final = ("layout", "controls", "bar", "history", "notices", "dialog", "panels", "pages")


def cards(*more: str) -> tuple[str, ...]:
    """Return the style sheets of a page made of cards, with `more` of those that all pages share."""
    left_out = {"history", "dialog"} - {*more}
    return tuple(f"css/{name}" for name in _CARDS if name not in left_out)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `features/FOLDER/NAME.js`, with `NAME.html` where `ui/page.html` does not do as its body.

    Attributes:
        sheets: Style sheets in the order in which a browser loads them, without `.css`: paths in `ui`, or after `./` in
            the feature's folder.
        sections: Of the menu; the first is marked there.
    """

    folder: str
    name: str
    title: str
    heading: str
    sheets: tuple[str, ...]
    sections: tuple[str, ...] = ("roll",)
    is_app: bool = False
    is_themed: bool = True

    @property
    def files(self) -> list[str]:
        """The style sheets by their paths in `STATIC`."""
        own = f"features/{self.folder}/"
        sheets = ("css/base", "css/menu", *self.sheets)
        return [f"{own + name[2:] if name.startswith('./') else f'ui/{name}'}.css" for name in sheets]
