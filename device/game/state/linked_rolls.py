"""Linked rolls of two sides or a group: requested together, rolled one after another, compared."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from rules.system import Facts


class LinkKind(StrEnum):
    OPPOSED = "opposed"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Member:
    request_id: Annotated[int, Field(alias="asked")]
    owner: str | None = None
    thrower: str | None = None
    hidden: bool = False
    roll: int | None = None
    count: int | None = None
    word: str = ""
    success: bool | None = None


@dataclass(frozen=True, slots=True)
class LinkedRolls:
    id: int
    kind: LinkKind
    system: str
    label: str | None = None
    aim: Facts = field(default_factory=dict)
    members: tuple[Member, ...] = ()

    @property
    def is_done(self) -> bool:
        return bool(self.members) and all(member.count is not None for member in self.members)

    @property
    def is_hidden(self) -> bool:
        return any(member.hidden for member in self.members)

    def given(self, ids: Collection[int], owner: str | None) -> "LinkedRolls":
        members = tuple(replace(one, owner=owner) if one.request_id in ids else one for one in self.members)
        return replace(self, members=members)

    def shown(self, ids: Collection[int]) -> "LinkedRolls":
        return replace(
            self, members=tuple(replace(one, hidden=one.hidden and one.request_id not in ids) for one in self.members)
        )
