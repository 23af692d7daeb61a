"""Where `contact`, the name under which services and servers are asked, must be set."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.job import UserError

HOST = re.compile(r"https?://(?:[^/@]*@)?([^/:]+)", re.I)  # of a URL
WIKIMEDIA = (".wikimedia.org", ".wikipedia.org", ".wikidata.org")  # whose policy asks for a contact


def unusable_contact(config: Mapping[str, Any]) -> Iterator[str]:
    """What is asked under one's name while `contact` is none; of the stage enrich only where it runs."""
    enrich, sources, contact = config["enrich"], config["sources"], config["contact"]
    services = {
        "Wikipedia's API": enrich["pages"]["backend"] == "api",
        "an endpoint": enrich["lookup"]["backend"] == "endpoint",
        "a topic service": enrich["categorise"]["backend"] == "service",
    }
    runs = enrich["entities"]["path"] and any("kind" in source for source in sources.values())
    asked = [service for service, used in services.items() if used and runs]
    for name, source in sources.items():
        host = HOST.match(source.get("url", ""))
        if host and f".{host[1].lower()}".endswith(WIKIMEDIA):
            asked.append(f"{host[1]} (sources.{name}.url)")
    for service in asked:
        if not contact:
            yield f"contact: {service} is asked under your name: set it to your e-mail address or home page."
    if asked and contact:
        from wokflow.frame.web import user_agent

        try:
            user_agent(contact)
        except UserError as error:
            yield str(error)
