"""JSON posted as it is to a system under test, through the same gate, retries and records as chats."""

from __future__ import annotations

from mysteryshopper.core import Address, Call, Json, JsonObject
from mysteryshopper.models.caller import Caller
from mysteryshopper.models.masking import Secrets
from mysteryshopper.models.record import Job, Received, Recorder, unpriced
from mysteryshopper.models.replies import read_json_body
from mysteryshopper.models.sending import Tally
from mysteryshopper.models.wire import body_bytes


class HttpPoster:
    """The `Poster` of one system block.

    A call's key is its body and its address: a resumed run meets the answers it has, no other run does, because what
    is tested may have changed in between. Retries send the same body, so the same session and turn number.
    """

    def __init__(self, name: str, caller: Caller, recorder: Recorder, secrets: Secrets) -> None:
        """Make it for the system block of that name."""
        self._name = name
        self._caller = caller
        self._recorder = recorder
        self._secrets = secrets

    async def post(self, body: JsonObject, address: Address) -> tuple[Json, Call]:
        """Return the JSON answer and the recorded call.

        Raises:
            CallFailed: It failed for good; `fault` is `system`, or `infra` for 429.
            StopRun: 401, or 403 or 404 on the first three calls.
        """
        payload = body_bytes(body)
        draw = self._recorder.draw(address)
        key = self._recorder.key(b"system\0" + self._name.encode() + b"\0" + payload, draw.sample, shared=False)

        def read(raw: bytes) -> Received[Json]:
            value, flags = read_json_body(raw, self._secrets)
            return Received(value, value, "ok", ",".join(flags))

        async def exchange(tally: Tally) -> Received[Json]:
            return await self._caller.post(payload, tally, read=read, seed=draw.seed)

        job = Job(key, address, self._name, "", 0.0, unpriced, exchange)  # its cost is no part of the limit
        call, value = await self._recorder.record(job)
        return (call.reply if value is None else value), call
