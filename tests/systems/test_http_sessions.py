"""What an HTTP system is asked outside a dialogue has a session of its own."""

from mysteryshopper.core import Address, Call, History, Message
from mysteryshopper.systems.http import HttpSystem


class Recording:
    """A poster that keeps what is posted and ranks nothing."""

    def __init__(self):
        self.bodies = []

    async def post(self, body, address):
        self.bodies.append(body)
        return {"content": ""}, Call("c", "k", address, "m", "ok")


async def test_two_blocks_that_share_an_endpoint_do_not_share_a_session():
    poster = Recording()
    system = HttpSystem(poster, lambda reply: reply, memory="session")
    for component in ("mine", "mine again"):
        for repeat in range(2):
            address = Address("u", repeat, "0.0", "system", component)
            await system.rank(History((Message("user", "hello"),), address=address), 5)
    assert len({body["session"] for body in poster.bodies}) == 4
