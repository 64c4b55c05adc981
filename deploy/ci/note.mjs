/**
 * Records for what this job runs, as a note: node note.mjs github|gitlab. In the history of the job, where an earlier one
 * left it, and at HOOKDRIFT_SERVE_URL with HOOKDRIFT_SERVE_TOKEN, an address of `hookdrift serve`. A schedule is not what
 * a person did. AUDIT_NOTE: another text, or `off`. What cannot be noted is printed and never fails the job.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const { env } = process
const [, , place] = process.argv
const longest = 500

const jobs = {
  github: {
    event: env.GITHUB_EVENT_NAME,
    text: `${env.GITHUB_WORKFLOW}: ${env.GITHUB_EVENT_NAME} of ${env.GITHUB_REF_NAME}`,
    ref: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/commit/${env.GITHUB_SHA}`,
    by: env.GITHUB_ACTOR,
  },
  gitlab: {
    event: env.CI_PIPELINE_SOURCE,
    text: `${env.CI_PROJECT_PATH}: ${env.CI_PIPELINE_SOURCE} of ${env.CI_COMMIT_REF_NAME}`,
    ref: `${env.CI_PROJECT_URL}/-/commit/${env.CI_COMMIT_SHA}`,
    by: env.GITLAB_USER_LOGIN,
  },
}
const job = jobs[place]
if (job === undefined) throw new Error('usage: note.mjs github|gitlab')
const given = (env.AUDIT_NOTE ?? '').trim()
const text = (given === '' ? job.text : given).slice(0, longest)
const ref = job.ref.length > longest ? undefined : job.ref

if (given !== 'off' && (given !== '' || job.event !== 'schedule')) {
  const { AUDIT_HISTORY: history, HOOKDRIFT_SERVE_URL: url, HOOKDRIFT_SERVE_TOKEN: token } = env
  if (history && existsSync(history)) await attempt('the history', async () => noteInHistory(history))
  if (url && token) await attempt('HOOKDRIFT_SERVE_URL', () => send(url, token))
}

function noteInHistory(history) {
  const options = [`--history=${history}`, ...(job.by ? [`--by=${job.by}`] : []), ...(ref ? [`--ref=${ref}`] : [])]
  // What Node opens to ignore an output counts as closed: docs/reference/errors.md, "Output was not delivered".
  execFileSync('hookdrift', ['note', ...options, '--', text], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function send(url, token) {
  const response = await fetch(`${url.replace(/\/+$/, '')}/api/v1/notes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, ...(ref ? { ref } : {}) }),
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  })
  if (response.status !== 201) throw new Error(`it answered ${response.status}`)
}

async function attempt(where, work) {
  try {
    await work()
    console.error(`hookdrift: noted in ${where}: ${JSON.stringify(text)}`)
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error))
    console.error(
      `hookdrift: not noted in ${where}: ${cause instanceof Error ? cause.message : message.split('\n', 1)}`,
    )
  }
}
