"""Tests of codes with which people get their seats on another device: single use, expiry and limits."""

from pathlib import Path

import pytest

from tests.support.rigged_lobby import Notes, Rigged
from tests.support.ws_client import Json


class Devices:
    """A lobby, a phone that holds a seat, and a computer at another address."""

    def __init__(self, folder: Path) -> None:
        self.rigged = Rigged(folder)
        self.phone, _, self.table = self.rigged.seat_two()
        self.token = next(one["token"] for one in self.phone.received if one["type"] == "seated")
        self.phone = Notes()  # a connection that is not at the table
        self.computer = Notes()
        self.computer.address = "elsewhere"

    def ask(self, device: Notes, **message: object) -> Json:
        self.rigged.say(device, **message)
        return device.received[-1]

    def share(self) -> str:
        return str(self.ask(self.phone, type="share_seats", tokens=[self.token, "of nobody"])["code"])


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path)


def test_a_code_gives_the_seats_once(devices: Devices) -> None:
    answer = devices.ask(devices.phone, type="share_seats", tokens=["of nobody", devices.token], ref="a")
    assert (answer["type"], answer["seats"], answer["valid_s"], answer["ref"]) == ("seats_shared", 1, 600, "a")
    typed = answer["code"].lower().replace("-", " ")
    fetched = devices.ask(devices.computer, type="fetch_seats", code=typed)
    [seat] = fetched["seats"]
    assert (seat["token"], seat["held"]["seat"]) == (devices.token, 0)
    assert seat["held"]["table"]["table"] == devices.table
    assert seat["held"]["created_at"] == devices.rigged.time
    assert (seat["held"]["ended_at"], seat["held"]["reason"]) == (None, None)
    again = devices.ask(devices.computer, type="fetch_seats", code=answer["code"])
    assert again["code"] == "forbidden"


def test_a_code_expires_after_ten_minutes(devices: Devices) -> None:
    first, second = devices.share(), devices.share()
    devices.rigged.time += 599
    assert devices.ask(devices.computer, type="fetch_seats", code=first)["type"] == "seats_fetched"
    devices.rigged.time += 1
    assert devices.ask(devices.computer, type="fetch_seats", code=second)["code"] == "forbidden"


def test_an_address_can_try_ten_codes_in_ten_minutes(devices: Devices) -> None:
    code = devices.share()
    tried = [devices.ask(devices.computer, type="fetch_seats", code="ABCD-EFGH")["code"] for _ in range(11)]
    assert tried == ["forbidden"] * 10 + ["too_fast"]
    assert devices.ask(devices.computer, type="fetch_seats", code=code)["code"] == "too_fast"
    devices.rigged.time += 61
    assert devices.ask(devices.computer, type="fetch_seats", code=code)["type"] == "seats_fetched"


def test_tokens_without_a_seat_get_no_code(devices: Devices) -> None:
    assert devices.ask(devices.phone, type="share_seats", tokens=["of nobody"])["code"] == "forbidden"
    assert devices.ask(devices.phone, type="share_seats", tokens=[])["type"] == "error"


def test_a_seat_that_was_given_up_is_left_out(devices: Devices) -> None:
    code = devices.share()
    devices.ask(devices.phone, type="resume", token=devices.token)
    devices.ask(devices.phone, type="leave")
    assert devices.ask(devices.computer, type="fetch_seats", code=code)["seats"] == []
