#!/bin/sh
# stable.sh ENGINE FOLDER: run the engine on FOLDER/cv.tex until no auxiliary file changes.
# Prints the number of passes.
cd "$2" || exit 1
before=
for pass in 1 2 3 4 5; do
  "$1" -interaction=batchmode -halt-on-error cv.tex </dev/null >/dev/null || exit 1
  # All but the log, the PDF and the document itself.
  after=$(cksum cv.[!lpt]*)
  [ "$after" != "$before" ] || break
  before=$after
done
echo "$pass"
