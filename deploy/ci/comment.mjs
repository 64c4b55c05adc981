/**
 * Writes one comment on the pull or merge request of this job, and updates it in later ones:
 * node comment.mjs github|gitlab FILE. A missing request, token or permission is printed and never fails the job.
 * A report that begins with `quiet` says that there is nothing: it replaces an earlier comment, and is none by itself.
 */
import { readFileSync } from 'node:fs'

const { env } = process
const [, , place, file] = process.argv
const name = env.AUDIT_NAME ?? 'hookdrift'
const marker = `<!-- hookdrift: ${name} -->`
const quiet = '<!-- hookdrift: nothing -->'
/** GitHub's limit, in characters; the Markdown report is below it. */
const longest = 65_536

const requests = {
  github: {
    number: env.PULL_REQUEST,
    token: env.GITHUB_TOKEN,
    needs: 'the permission `pull-requests: write`, which a pull request from a fork never has',
    headers: { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
    list: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/${env.PULL_REQUEST}/comments`,
    comment: (/** @type {number} */ id) => `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/comments/${id}`,
    update: 'PATCH',
    job: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`,
    // A person can begin a comment with the marker, too; a workflow's token belongs to an app.
    isOwn: async () => (comment) => comment.user?.type === 'Bot',
  },
  gitlab: {
    number: env.CI_MERGE_REQUEST_IID,
    token: env.HOOKDRIFT_GITLAB_TOKEN,
    needs: 'HOOKDRIFT_GITLAB_TOKEN, a project access token with the scope `api`; a protected variable is missing here',
    headers: { 'private-token': env.HOOKDRIFT_GITLAB_TOKEN ?? '' },
    list: `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`,
    comment: (/** @type {number} */ id) => `${requests.gitlab.list}/${id}`,
    update: 'PUT',
    job: env.CI_JOB_URL,
    isOwn: async () => {
      const { id } = await ask('GET', `${env.CI_API_V4_URL}/user`)
      return (note) => note.author?.id === id
    },
  },
}
const request = requests[place]
if (request === undefined || file === undefined) throw new Error('usage: comment.mjs github|gitlab FILE')

if (!/^\d+$/.test(request.number ?? '')) print('no comment: this job is not of a pull or merge request')
else if (!request.token) print(`no comment: it needs ${request.needs}`)
else {
  try {
    print(await publish(`${marker}\n${readFileSync(file, 'utf8')}`))
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error))
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message
    print(`no comment: ${why}${/\b40[134]\b/.test(why) ? `; it needs ${request.needs}` : ''}`)
  }
}

async function publish(report) {
  const body = `${report.slice(0, longest - 500)}\n\n[The job](${request.job})\n`
  const isOwn = await request.isOwn()
  const { id } = (await allComments()).find((comment) => comment.body?.startsWith(marker) && isOwn(comment)) ?? {}
  if (id === undefined && report.startsWith(`${marker}\n${quiet}`)) return 'nothing to comment on'
  if (id === undefined) await ask('POST', request.list, { body })
  else await ask(request.update, request.comment(id), { body })
  return id === undefined ? 'wrote a comment' : `updated comment ${id}`
}

async function allComments() {
  const comments = []
  for (let page = 1; ; page++) {
    const more = await ask('GET', `${request.list}?per_page=100&page=${page}`)
    comments.push(...more)
    if (more.length < 100) return comments
  }
}

async function ask(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { ...request.headers, 'content-type': 'application/json', 'user-agent': 'hookdrift' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
    // A redirect would carry the token to another place.
    redirect: 'error',
  })
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}`)
  return await response.json()
}

function print(text) {
  console.log(place === 'github' && text.startsWith('no ') ? `::notice title=hookdrift::${text}` : `hookdrift: ${text}`)
}
