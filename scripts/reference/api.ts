import { type ApiAddress, apiEntries, descriptionOf } from '../../src/cli/api/api-entries.ts'
import { describeCommand } from '../../src/cli/commands.ts'
import { parametersOf } from '../../src/questions/query-parameters.ts'
import { sentence } from './command-tree.ts'

const intro = `# API

What \`hookdrift serve\` answers to programs. Generated from the program by \`npm run reference\`; a running one describes
itself as OpenAPI 3.1 at \`/api/v1/openapi.json\`, and \`/api/v1\` lists the commands.

\`/api/v1/COMMAND\` is what the command prints with \`--format json\`, byte for byte: the same schema, the same numbers, and
all rows unless \`limit\` says how many. \`format=csv\` gives the rows as CSV. Options are query parameters, and so are arguments, by their names. An option
that may be repeated is a parameter that may be; \`?open\` and \`?open=true\` are \`--open\`.

\`\`\`sh
curl 'http://127.0.0.1:9465/api/v1/violations?severity=high&project=acme/*&limit=20'
curl 'http://127.0.0.1:9465/api/v1/timeline?uid=billing-011&run=812'
\`\`\`

Every command takes \`run\`: a number, \`latest\`, \`latest~2\` or a time. GET and HEAD are the only methods, nothing changes
the history but [a note](#record-a-note), and no parameter names a file.
[Assistants](../how-to/ask-with-an-assistant.md) ask the same at \`/mcp\`.

| status | when |
|---|---|
| 200 | the answer, with any exit code of the command: a stale \`status\` is an answer |
| 304 | no run, note or pruning since the answer whose \`ETag\` is in \`If-None-Match\` |
| 400 | an unknown, doubled, missing or wrong parameter; nothing of that uid, rule or run |
| 401 | no token, or one that is not known |
| 403 | only for readers of all projects |
| 404 | no such command |
| 405, 421 | another method; a host name that the port does not answer to |
| 429 | too many wrong tokens came from this address: \`Retry-After\` says when to try again |
| 500 | a bug in hookdrift; the log has the details |
| 503 | the history, configuration or policy cannot be used: the log says why; or too much is asked for: \`Retry-After\` |

An error is \`{"error": {"message": "…", "advice": "…"}}\`; \`advice\` may be null.
Those of 405 and 421 are plain text.

Answers that only runs change have an \`ETag\`. For a second after the history was asked for its last run, an answer 304 comes
without asking again: a run is seen a second late at most. All others are \`no-store\`.

## Record a note

\`POST /api/v1/notes\` records [what was done](../how-to/exceptions.md#notes). It takes a token with \`may: [note]\` in
\`Authorization: Bearer\`, and JSON: \`{ "text", "at"?, "ref"?, "projects"? }\`. \`at\` is an instant, or how long ago.

| status | when |
|---|---|
| 201 | recorded; the answer is its row, as \`hookdrift note --list\` has it |
| 400 | not a note: no text, more than 500 characters, an unknown member or project, a time to come, parameters |
| 401 | no token, one that is not known, or a login in place of a token |
| 403 | a token without the right, or not for these projects; sent by a page of another site |
| 413, 415 | more than 4096 bytes; not \`application/json\` |
| 429, 503 | as above |

## Feed

\`/feed.atom\` is an Atom feed, newest first: the last 100 resources that drifted and violations that were opened and
resolved, and the projects that could not be scanned completely, however long. Each entry keeps its id, by every name of
the port, and leads to its page. \`?run=N\` is the feed as of that run.

## Addresses

Below \`/api/v1\`, each with its command and parameters.
`

/** The page about the API of the pages. */
export async function apiPage(): Promise<string> {
  return [intro, ...(await Promise.all(Object.entries(apiEntries).map(describeEntry)))].join('\n')
}

async function describeEntry([name, entry]: readonly [string, ApiAddress]): Promise<string> {
  const names = parametersOf(await entry.load()).map(({ name: parameter }) => `\`${parameter}\``)
  const about = sentence(descriptionOf(entry, describeCommand))
  return `- \`${name}\`: \`hookdrift ${entry.words}\`. ${about} ${names.join(', ')}.`
}
