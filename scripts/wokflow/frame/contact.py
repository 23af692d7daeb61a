"""Check `contact`, the name that services and servers see, where it must be set."""

import re
from collections.abc import Iterator, Sequence

from wokflow.frame.job import UserError

HOST = re.compile(r"https?://(?:[^/@]*@)?([^/:]+)", re.I)  # of a URL
WIKIMEDIA = (".wikimedia.org", ".wikipedia.org", ".wikidata.org")  # whose policy asks for a contact


def host_of_wikimedia(url: str) -> str | None:
    """The host of a URL, if it is one of Wikimedia's."""
    host = HOST.match(url)
    return host[1] if host and f".{host[1].lower()}".endswith(WIKIMEDIA) else None


def unusable_contact(contact: str, asked: Sequence[str]) -> Iterator[str]:
    """What is wrong with `contact` if these services are asked under that name."""
    if not contact:
        for service in asked:
            yield f"contact: {service} wants to know who asks: set it to your e-mail address or home page."
    elif asked:
        from wokflow.frame.web import user_agent

        try:
            user_agent(contact)
        except UserError as error:
            yield str(error)
