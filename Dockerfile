# cvbuild in an image: docs/how-to/install.md. `make image` builds it, `make image-test` tries it.
#   embedded (the default)   with the embedded TeX, for x86_64; on ARM take the other: Debian 12 is too old
#   texlive                  with a TeX Live beside it, for ARM, and other scripts' fonts

# Debian 12 of any registry. Its python3 is 3.11. A tag, which gets security updates; the same image
# each time has a digest: make image BASE=docker.io/library/debian@sha256:…
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS packages
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
WORKDIR /src
COPY requirements.lock ./
RUN python3 -m venv /opt/cvbuild \
 && /opt/cvbuild/bin/pip install --no-cache-dir --no-compile --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE .gitignore ./
COPY templates templates
COPY workspace-template workspace-template
COPY cvbuild cvbuild
# What only installing needs is removed. The bytecode is made here: the user may write none.
RUN /opt/cvbuild/bin/pip install --no-cache-dir --no-compile --no-deps --no-build-isolation . \
 && /opt/cvbuild/bin/pip uninstall --yes --quiet \
      hatchling pathspec pluggy trove-classifiers setuptools pip \
 && python3 -m compileall -q -j 0 /opt/cvbuild/lib

FROM ${BASE} AS run
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/*
# Any user may be named with --user, so anyone may write to the home; what is in it is their own.
RUN useradd --uid 1000 --create-home cvbuild \
 && mkdir -p /home/cvbuild/.cache /work \
 && chown cvbuild: /home/cvbuild/.cache /work \
 && chmod 1777 /home/cvbuild /home/cvbuild/.cache
COPY --from=packages /opt/cvbuild /opt/cvbuild
ENV HOME=/home/cvbuild LANG=C.UTF-8 PATH=/opt/cvbuild/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /work
ENTRYPOINT ["cvbuild"]
CMD ["build"]

FROM run AS texlive
# The packages of `make texlive`, and the tools that `cvbuild doctor` asks for.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      texlive-latex-base texlive-latex-recommended texlive-latex-extra \
      texlive-fonts-recommended lmodern latexmk \
      fonts-noto-core fonts-noto-cjk fonts-hosny-amiri poppler-utils qpdf \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/*
USER cvbuild

FROM run AS embedded
USER cvbuild
