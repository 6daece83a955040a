"""Systems under test: adapters (HTTP, chat endpoints, Python functions), and reference recommenders."""

from mysteryshopper.core import Registry

SYSTEMS = Registry(
    "system",
    {
        "agent-crs": "mysteryshopper.systems.agent_crs:AgentCRS",
        "attribute-asker": "mysteryshopper.systems.attribute_asker:AttributeAsker",
        "attribute-overlap": "mysteryshopper.systems.attribute_overlap:AttributeOverlap",
        "base-crs": "mysteryshopper.systems.base_crs:BaseCRS",
        "chat-persona": "mysteryshopper.systems.persona:ChatPersona",
        "copy-history": "mysteryshopper.systems.copy_history:CopyHistory",
        "embedding": "mysteryshopper.systems.embedding:Embedding",
        "http": "mysteryshopper.systems.http:HttpSystem",
        "lexical": "mysteryshopper.systems.lexical:Lexical",
        "openai": "mysteryshopper.systems.openai:OpenAISystem",
        "popularity": "mysteryshopper.systems.popularity:Popularity",
        "python": "mysteryshopper.systems.python:PythonSystem",
        "random": "mysteryshopper.systems.random:RandomSystem",
        "zero-shot": "mysteryshopper.systems.zero_shot:ZeroShot",
        "zero-shot+embedding": "mysteryshopper.systems.zero_shot:ZeroShotEmbedding",
    },
    "mysteryshopper.systems",
)

__all__ = ["SYSTEMS"]
