"""The networks that a profile can name: their titles and the addresses of people's pages."""

from __future__ import annotations

from types import MappingProxyType

from msgspec import Struct

from cvbuild.model.text import urls


class Network(Struct, frozen=True):
    """A site with a page for each person; ``page`` has a place for the user name.

    ``about`` says what a person's file has of it; if empty, the user name.
    """

    title: str
    page: str
    about: str = ""

    def address(self, handle: str) -> str:
        """Return the URL of a person's page; ``handle`` may be that URL already."""
        if handle.startswith(("http://", "https://")):
            return urls.normalise(handle)
        if self.title == "Mastodon":
            user, _, server = handle.removeprefix("@").partition("@")
            return urls.normalise(f"https://{server or 'mastodon.social'}/@{user}")
        return urls.normalise(self.page.format(handle.removeprefix("@")))

    def shown(self, handle: str, url: str) -> str:
        """Return what is printed: the network's identifier if it has one, or the short address."""
        if self.title == "ORCID":
            return handle.rpartition("/")[2]
        if self.title == "Mastodon" and handle.startswith("@"):
            return handle
        return urls.display(url)


_BY_KEY = {
    "github": Network("GitHub", "https://github.com/{}"),
    "gitlab": Network("GitLab", "https://gitlab.com/{}"),
    "linkedin": Network(
        "LinkedIn", "https://www.linkedin.com/in/{}", "The part after linkedin.com/in/."
    ),
    "orcid": Network("ORCID", "https://orcid.org/{}", "ORCID iD: four groups of four digits."),
    "google-scholar": Network(
        "Google Scholar",
        "https://scholar.google.com/citations?user={}",
        "The user= part of the address of the profile.",
    ),
    "dblp": Network("DBLP", "https://dblp.org/pid/{}", "The part after dblp.org/pid/."),
    "mastodon": Network("Mastodon", "https://{}", "@user@server."),
    "x": Network("X", "https://x.com/{}"),
    "bluesky": Network(
        "Bluesky", "https://bsky.app/profile/{}", "Handle on Bluesky: name.bsky.social."
    ),
    "stack-overflow": Network(
        "Stack Overflow",
        "https://stackoverflow.com/users/{}",
        "The number, or number/name, after stackoverflow.com/users/.",
    ),
    "researchgate": Network(
        "ResearchGate",
        "https://www.researchgate.net/profile/{}",
        "The part after researchgate.net/profile/.",
    ),
    "youtube": Network("YouTube", "https://www.youtube.com/@{}", "@handle of the channel."),
    "telegram": Network("Telegram", "https://t.me/{}"),
    "whatsapp": Network(
        "WhatsApp", "https://wa.me/{}", "The number with its country, digits only."
    ),
    "line": Network("LINE", "https://line.me/ti/p/~{}", "LINE ID."),
    "instagram": Network("Instagram", "https://www.instagram.com/{}"),
    "facebook": Network("Facebook", "https://www.facebook.com/{}"),
    "threads": Network("Threads", "https://www.threads.net/@{}"),
    "reddit": Network("Reddit", "https://www.reddit.com/user/{}"),
    "medium": Network("Medium", "https://medium.com/@{}"),
    "xing": Network("Xing", "https://www.xing.com/profile/{}", "The part after xing.com/profile/."),
    "leetcode": Network("LeetCode", "https://leetcode.com/u/{}"),
    "kaggle": Network("Kaggle", "https://www.kaggle.com/{}"),
    "hugging-face": Network("Hugging Face", "https://huggingface.co/{}"),
    "codeberg": Network("Codeberg", "https://codeberg.org/{}"),
    "bitbucket": Network("Bitbucket", "https://bitbucket.org/{}", "Workspace on Bitbucket."),
    "imdb": Network(
        "IMDb", "https://www.imdb.com/name/{}", "The part after imdb.com/name/: nm0000000."
    ),
    "behance": Network("Behance", "https://www.behance.net/{}"),
    "dribbble": Network("Dribbble", "https://dribbble.com/{}"),
    "semantic-scholar": Network(
        "Semantic Scholar",
        "https://www.semanticscholar.org/author/{}",
        "The number of the author's page.",
    ),
    "scopus": Network(
        "Scopus", "https://www.scopus.com/authid/detail.uri?authorId={}", "Author ID."
    ),
    "web-of-science": Network(
        "Web of Science", "https://www.webofscience.com/wos/author/record/{}", "ResearcherID."
    ),
    "openreview": Network(
        "OpenReview",
        "https://openreview.net/profile?id={}",
        "The id of the profile: ~Ada_Example1.",
    ),
    "personal": Network("Web", "{}", "Another page about the person."),
}
NETWORKS = MappingProxyType(_BY_KEY)
