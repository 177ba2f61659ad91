#!/usr/bin/env bash
# Build an image of cvbuild, or try both: docs/how-to/install.md.
#   tools/image.sh build TARGET TAG [ARGUMENT ...]    ARGUMENTs are for the build: --build-arg …
#   tools/image.sh test [ARGUMENT ...]
set -euo pipefail
cd "$(dirname "$0")/.."

# A docker without its daemon is of no use.
for tool in docker podman buildah ''; do
  [ -z "$tool" ] || ! "$tool" info >/dev/null 2>&1 || break
done
[ -n "$tool" ] || { echo "an image needs docker (running), podman or buildah" >&2; exit 1; }

build() {
  local target=$1 tag=$2
  shift 2
  "$tool" build --target "$target" -t "$tag" "$@" .
}

# Run cvbuild as a user in a container, with a workspace: run TAG USER FOLDER ARGUMENT ...
run() {
  local tag=$1 user=$2 folder=$3 container
  shift 3
  if [ "$tool" = buildah ]; then
    # It has no `run` for images, and doesn't take the entry point.
    container=$(buildah from "$tag")
    buildah run --user "$user" -v "$folder:/work" "$container" -- cvbuild "$@" || {
      buildah rm "$container" >/dev/null
      return 1
    }
    buildah rm "$container" >/dev/null
  else
    "$tool" run --rm --network none --user "$user" -v "$folder:/work" "$tag" "$@"
  fi
}

say() { echo "image-test: $*"; }

# Build CVs with an image as two users, and look at whose the files are.
try() {
  local tag=$1 user folder owner
  for user in 1000:1000 4321:4321; do
    folder=$(mktemp -d)
    chown "$user" "$folder"
    chmod 700 "$folder"
    run "$tag" "$user" "$folder" init .
    run "$tag" "$user" "$folder" new "何 国梁"
    run "$tag" "$user" "$folder" build
    run "$tag" "$user" "$folder" build ada-example -t plain --format pdf,html,docx,txt
    run "$tag" "$user" "$folder" apply --all
    if [ "$tag" = cvbuild:texlive-test ]; then
      run "$tag" "$user" "$folder" build ada-example -t industry --engine pdflatex
    fi
    owner=$(find "$folder" -printf '%U:%G\n' | sort -u)
    [ "$owner" = "$user" ] || { say "files belong to $owner, not to $user" >&2; exit 1; }
    [ -s "$folder/out/ada-example/academic.pdf" ] || { say "no PDF" >&2; exit 1; }
    run "$tag" "$user" "$folder" build --json | grep -o '"sandbox": "[a-z-]*"'
    rm -rf "$folder"
    say "$tag as $user: fine"
  done
  if [ "$tool" = buildah ]; then
    user=$(buildah inspect --type image --format '{{.OCIv1.Config.User}}' "$tag")
  else
    user=$("$tool" image inspect --format '{{.Config.User}}' "$tag")
  fi
  [ "$user" = cvbuild ] || { say "it runs as '$user'" >&2; exit 1; }
}

case ${1-} in
  build) shift; build "$@" ;;
  test)
    shift
    for target in embedded texlive; do
      build "$target" "cvbuild:$target-test" "$@"
      try "cvbuild:$target-test"
    done
    "$tool" images | grep -- cvbuild
    ;;
  *) sed -n '2,4p' "$0" >&2; exit 2 ;;
esac
