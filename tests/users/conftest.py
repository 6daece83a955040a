"""A model to listen to, and views to speak from."""

import pytest

from mysteryshopper.core import ChatReply, History, ItemRef, Message, Profile, Scenario, UserView


class Model:
    """Answers with given texts, or with what it was asked (`echo`); keeps every request and its address."""

    def __init__(self, *answers, form="chat"):
        self.form = form
        self.answers = list(answers)
        self.requests = []
        self.addresses = []

    async def chat(self, request, address):
        self.requests.append(request)
        self.addresses.append(address)
        if not self.answers:
            return ChatReply("\n".join(message.content for message in request.messages), call="echo")
        answer = self.answers.pop(0)
        return answer if isinstance(answer, ChatReply) else ChatReply(answer, call=f"call{len(self.requests)}")

    def asked(self, number=-1):
        request = self.requests[number]
        return request.completion or "\n".join(message.content for message in request.messages)

    @property
    def purposes(self):
        return [(address.purpose, address.attempt) for address in self.addresses]


class Talk:
    """Makes models, messages and views."""

    model = Model
    clock = ItemRef("t1", "The Salt Clock", 2004)
    road = ItemRef("x9", "Lantern Road", 1998)

    @staticmethod
    def said(text):
        return Message("user", text, author="simulated")

    @staticmethod
    def heard(text, *items):
        return Message("assistant", text, tuple(items))

    @staticmethod
    def view(*messages, shown=(), profile=None, **more):
        profile = profile or Profile("anna", persona="a baker from the coast", wish="a comedy with a clock")
        return UserView(Scenario("s", profile, "films"), History(tuple(messages)), tuple(shown), **more)


@pytest.fixture
def talk():
    return Talk()
