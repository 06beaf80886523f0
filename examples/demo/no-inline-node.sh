#!/usr/bin/env bash
# A hook of any language: the event is JSON on stdin, exit 2 refuses, and stderr says why.
if grep -q '"command":"node -e'; then
  echo 'No inline programs: write a script, and run that.' >&2
  exit 2
fi
