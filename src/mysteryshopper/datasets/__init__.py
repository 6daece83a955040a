"""Data: readers of public data sets and of users' own files, and where the public ones come from.

Every reader yields plain records (`RecTurn`, `HumanDialogue`, `Rating`, and the core's `Item`), reads only what is
asked for, and drops or repairs nothing in silence: an error names the file, the line and what was expected.
"""

from mysteryshopper.datasets.block import DATASETS, DataBlock, load
from mysteryshopper.datasets.checking import Checked, check
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.domain import Domain, DomainAttribute
from mysteryshopper.datasets.domain_files import DOMAIN_FILE, read_domain
from mysteryshopper.datasets.domains import OwnDomain, PackagedDomain, packaged_domain, packaged_domains
from mysteryshopper.datasets.download import Progress
from mysteryshopper.datasets.export import write_csv
from mysteryshopper.datasets.getting import get
from mysteryshopper.datasets.hashing import record_hash
from mysteryshopper.datasets.location import data_home
from mysteryshopper.datasets.own import OwnData
from mysteryshopper.datasets.records import Conflict, HumanDialogue, Opinion, Published, Rating, Ratings, RecTurn
from mysteryshopper.datasets.sources import Source, SourceFile, find_source, sources

__all__ = [
    "DATASETS",
    "DOMAIN_FILE",
    "Checked",
    "Conflict",
    "DataBlock",
    "Dataset",
    "Domain",
    "DomainAttribute",
    "HumanDialogue",
    "Opinion",
    "OwnData",
    "OwnDomain",
    "PackagedDomain",
    "Progress",
    "Published",
    "Rating",
    "Ratings",
    "RecTurn",
    "Source",
    "SourceFile",
    "check",
    "data_home",
    "find_source",
    "get",
    "load",
    "packaged_domain",
    "packaged_domains",
    "read_domain",
    "record_hash",
    "sources",
    "write_csv",
]
