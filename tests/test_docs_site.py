"""The pages of docs/ as files and as a site: links, anchors, the navigation, search offline."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html
from markdown_it import MarkdownIt
from tests.test_judges import CHROMIUM, demand  # placeholder

from cvbuild.common.versions import VERSION
from tools import docs_site
