"""A wheel with TeX for cvbuild, ``cvbuild-tex``, made from Debian's packages of TeX Live.

    python -m tools.tex_wheel [--machine x86_64 --machine aarch64] [--out dist]

It has pdfTeX with its libraries, a format of LaTeX, and the part of TeX Live's tree that
``tree.toml`` names: folders of packages that a template may load, and each file that documents
read (``record`` finds them). Debian's package client fetches and checks all; nothing is installed,
and no rights of root are needed.
"""
