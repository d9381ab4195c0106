"""The settings on pages agree with the models that check them, in words, kinds and limits."""

from dataclasses import replace
from typing import Any

import pytest

from device.camera.registry import KINDS, camera_kind
from device.config.messages import help_of, keys_of
from device.config.settings import Settings, read_settings, with_overrides
from device.config.table_settings import LISTED, SERVICES, BadSetting, Kind, TableSetting, table_settings
from device.errors import BadInput
from device.texts.catalogue import languages, translate
from vision.colour.classes import COLOUR_NAMES


def settings_of(camera: str) -> dict[str, TableSetting]:
    return {one.listed.key: one for one in table_settings(with_overrides(Settings(), camera=camera))}


CAMERAS = tuple(kind.suggested[0] for kind in KINDS if kind.suggested)

ALL = {key: one for camera in CAMERAS for key, one in settings_of(camera).items()}


def body_with(setting: TableSetting, value: object) -> dict[str, Any]:
    """Return a settings file with only this."""
    body: Any = value
    for name in reversed(setting.path):
        body = {name: body}
    assert isinstance(body, dict)
    return body


def is_read(setting: TableSetting, value: object) -> bool:
    """Return whether the models accept it."""
    try:
        read_settings(body_with(setting, value))
    except BadInput:
        return False
    return True


def refusal_of(setting: TableSetting, value: object) -> BadSetting | None:
    try:
        setting.checked(value)
    except BadSetting as refused:
        return refused
    return None


def test_every_key_of_the_list_is_there_for_some_camera() -> None:
    assert set(ALL) == {one.key for one in (*LISTED, *SERVICES)} | {"colours.base", "colours.skill", "colours.gear"}


def test_each_camera_has_its_own() -> None:
    sections = {camera: {key.split(".")[0] for key in settings_of(camera)} for camera in CAMERAS}
    own = {kind.section for kind in KINDS}
    assert {camera: names & own for camera, names in sections.items()} == {
        camera: {camera_kind(camera).section} for camera in CAMERAS
    }
    assert sections["usb:0"] >= {"usb", "colours", "ring"}


def test_help_names_every_kind_of_camera() -> None:
    text = ALL["tray.camera"].help
    assert [kind.written for kind in KINDS if kind.written not in text] == []


def test_classes_of_dice_are_those_of_the_table() -> None:
    settings = replace(with_overrides(Settings(), camera="pi"), colours={"base": "red", "luck": "blue"})
    dice = [one for one in table_settings(settings) if one.listed.group == "dice"]
    assert [(one.listed.key, one.value_in(settings), one.title) for one in dice] == [
        ("colours.base", "red", translate("settings.colour.title", name="base")),
        ("colours.luck", "blue", translate("settings.colour.title", name="luck")),
    ]


@pytest.mark.parametrize("setting", ALL.values(), ids=lambda one: str(one.listed.key))
def test_the_models_take_what_the_list_takes_and_refuse_what_it_refuses(setting: TableSetting) -> None:
    """At the ends of each range, and slightly beyond."""
    tried: list[object] = [
        True,
        1,
        1.5,
        "https://x" if setting.path[-1] == "url" else "x",
        -1,
        *setting.words,
        *([setting.usual] if setting.usual is not None else []),
    ]
    for limit in (setting.low, setting.high):
        if limit is not None:
            step = 1 if setting.kind is Kind.WHOLE else 0.001
            tried += [int(limit) if setting.kind is Kind.WHOLE else limit, limit - step, limit + step]
    if setting.path[0] == "colours":
        tried = list(COLOUR_NAMES)
    for value in tried:
        assert (refusal_of(setting, value) is None) == is_read(setting, value), (setting.listed.key, value)
    assert any(refusal_of(setting, value) is None for value in tried)


@pytest.mark.parametrize("setting", ALL.values(), ids=lambda one: str(one.listed.key))
def test_the_nearest_value_of_a_bad_one_is_a_good_one(setting: TableSetting) -> None:
    for value in (-(10**9), 10**9, 0, 0.4, "recktangle", "inf", "RED", None):
        refused = refusal_of(setting, value)
        if refused is None:
            continue
        assert "\n" not in str(refused)
        if refused.nearest is not None:
            assert setting.checked(refused.nearest) == refused.nearest
            assert is_read(setting, refused.nearest), (setting.listed.key, refused.nearest)


def near_word(value: str, near: str) -> str:
    return translate("settings.wrong.near_word", value=value, near=near)


def one_of(*words: str) -> str:
    return translate("settings.wrong.word", words=list(words))


@pytest.mark.parametrize(
    ("key", "value", "reported", "nearest"),
    [
        ("usb.fps", 90, translate("settings.wrong.between", value="90", low="5", high="60"), 60),
        ("usb.fps", 29.6, translate("settings.wrong.whole", value="29.6"), 30),
        ("usb.fps", "many", translate("settings.wrong.whole", value="'many'"), None),
        ("panel.wiring.brightness", 0, translate("settings.wrong.above_to", value="0", low="0", high="1"), 0.01),
        ("ring.shape.point_s", -1, translate("settings.wrong.from", value="-1", low="0"), 0),
        (
            "ring.shape.shape",
            "rectangel",
            translate("settings.wrong.near_word", value="'rectangel'", near="rectangle"),
            "rectangle",
        ),
        (
            "ring.kind",
            "philips",
            one_of("none", "WLED"),
            None,
        ),
        ("pi.mains_hz", 55, one_of("50 Hz", "60 Hz"), None),
        ("pi.measure", "yes", "choose on or off", None),
        ("tray.camera", " ", translate("settings.wrong.text"), None),
        ("web.names", "tray.lan", translate("settings.wrong.text"), None),
        ("colours.base", "yelow", near_word("'yelow'", "yellow"), "yellow"),
    ],
)
def test_a_bad_value_is_reported_in_one_line_with_the_nearest(
    key: str, value: object, reported: str, nearest: object
) -> None:
    with pytest.raises(BadSetting) as refused:
        ALL[key].checked(value)
    assert (str(refused.value), refused.value.nearest) == (reported, nearest)


@pytest.mark.parametrize("listed", LISTED, ids=lambda one: str(one.key))
def test_the_help_is_the_line_of_the_model(listed: Any) -> None:
    hint: Any = Settings
    *sections, name = listed.key.split(".")
    for section in sections:
        hint = keys_of(hint)[section]
    assert ALL[listed.key].help == help_of(hint)[name].replace("`", "")


def test_every_choice_has_a_name_for_people() -> None:
    for setting in ALL.values():
        for choice in setting.words:
            assert setting.title_of(choice).strip()
    assert ALL["display.language"].words == tuple(languages())
    assert ALL["display.language"].title_of("de") == "Deutsch"
