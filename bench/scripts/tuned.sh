#!/bin/sh
# The same by someone who has the time to make it fast: one curl for all lists, two jq at a time, git without upkeep.
# Lists of more than one page are an error here: nothing reads their cursors.
# Usage: tuned.sh URL KEY DIRECTORY < uids of projects, one a line
set -eu
url=$1 key=$2
mkdir -p "$3" && cd "$3"
test -d .git || git init --quiet

pages=../tuned-pages
mkdir -p $pages
while read -r project; do
  for listing in endpoints subscriptions; do
    echo "url = \"$url/api/v1/projects/$project/$listing?perPage=1000\""
    echo "output = \"$pages/$project-$listing.json\""
  done
done > ../tuned-urls
curl --silent --show-error --fail --parallel --parallel-max 4 --header "Authorization: Bearer $key" --config ../tuned-urls
if grep --quiet '"has_next_page":true' $pages/*.json; then echo 'a list has a second page' >&2 && exit 1; fi

ls $pages | xargs -P 2 -I NAME sh -c "jq --sort-keys '[.data.content[] | del(.updated_at, .secrets[]?.value,
  .authentication[]?.header_value?, .authentication[]?.password?, .authentication[]?.client_secret?)]' $pages/NAME > NAME"

git add --all
git diff --cached --quiet ||
  git -c gc.auto=0 -c user.name=bench -c user.email=bench@example.com commit --quiet --message audit
