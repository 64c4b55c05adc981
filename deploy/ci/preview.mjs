/**
 * Previews the request files of a pull or merge request: node preview.mjs github|gitlab AUDIT_CODE. Of each,
 * `hookdrift preview` says what the gateway would do; nothing is sent, and nothing of a file is run. AUDIT_PREVIEW:
 * patterns of file names, one a line. Writes AUDIT_REPORTS/preview.md, and ends with the worst of the exit codes, the
 * audit's too. Names and files come from the author of the request: they are neutralised in the log and the report.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, globSync, lstatSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'

const { env } = process
const [, , place, auditCode = '0'] = process.argv
const report = join(env.AUDIT_REPORTS ?? '.', 'preview.md')
/** A pull request with more is not read by people. */
const mostFiles = 50
/** GitHub's limit of a comment is 65,536 characters. */
const longest = 60_000

const requests = {
  github: {
    number: env.PULL_REQUEST,
    isForked: Boolean(env.HEAD_REPOSITORY) && env.HEAD_REPOSITORY !== env.GITHUB_REPOSITORY,
    // The checkout of a pull request is a merge into its base; of another commit, the first parent is not the base.
    isBase: () => env.GITHUB_EVENT_NAME === 'pull_request' && git('rev-parse', 'HEAD').trim() === env.GITHUB_SHA,
    base: 'HEAD^1',
    hint: 'with `fetch-depth: 2`, the checkout shows which ones it changes',
  },
  gitlab: {
    number: env.CI_MERGE_REQUEST_IID,
    isForked: env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID !== env.CI_MERGE_REQUEST_PROJECT_ID,
    isBase: () => Boolean(env.CI_MERGE_REQUEST_DIFF_BASE_SHA),
    base: env.CI_MERGE_REQUEST_DIFF_BASE_SHA ?? '',
    hint: 'with `git` in the image and a larger `GIT_DEPTH`, the checkout shows which ones it changes',
  },
}
const request = requests[place]
/** For `comment.mjs`: a comment about files that are gone says so, and none is written about none. */
const quiet = '<!-- hookdrift: nothing -->'
const title = '## What these requests would change'
if (request === undefined) throw new Error('usage: preview.mjs github|gitlab AUDIT_CODE')

/** What an exit code of `hookdrift preview` means; any other is a fault of its own. */
const meanings = {
  0: 'opens no violation that fails a job',
  1: 'would open violations',
  2: 'cannot be previewed',
  3: 'could not be previewed completely',
}
/** Better first, as hookdrift decides when several apply. */
const order = ['0', '1', '3', '5', '2', '4']
const worst = (a, b) => (rank(a) >= rank(b) ? a : b)
const rank = (code) => (order.includes(code) ? order.indexOf(code) : order.length)

rmSync(report, { force: true })
let code = '0'
if (!/^\d+$/.test(request.number ?? '')) log('no preview: this job is not of a pull or merge request')
else {
  const result = preview()
  code = result.code
  writeFileSync(report, result.text)
  output('preview', report)
  output('preview-exit-code', code)
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `\n${result.text}`)
}
process.exitCode = Number(worst(auditCode, code))

function preview() {
  if (request.isForked) {
    return nothing('it comes from a fork, whose jobs get neither keys nor a history. Preview its requests by hand')
  }
  const { AUDIT_HISTORY: history } = env
  if (!history || !existsSync(history)) {
    return nothing('no job has left a history yet, and the audit of this one made none')
  }
  const patterns = (env.AUDIT_PREVIEW ?? '').split('\n').flatMap((line) => line.trim() || [])
  if (patterns.some((pattern) => isAbsolute(pattern) || normalize(pattern).startsWith('..'))) {
    log('the patterns of request files lead out of the directory')
    return { code: '2', text: `${title}\n\nThe patterns of request files lead out of the directory.\n` }
  }
  const changed = changedFiles()
  const matching = [...new Set(patterns.flatMap((pattern) => globSync(pattern)))].filter((file) => !isFolder(file))
  const files = matching.filter((file) => changed?.has(file) ?? true).sort()
  if (files.length === 0) return { code: '0', text: `${quiet}\n${title}\n\nThis pull request has no request file.\n` }
  const parts = files.slice(0, mostFiles).map(previewFile)
  const more = files.length - parts.length
  const codes = [...parts.map((part) => part.code), ...(more > 0 ? ['3'] : [])]
  const lines = parts.map((part) => `- ${inline(part.file)} ${meaningOf(part.code)}`)
  if (more > 0) lines.push(`- ${more} more files were not previewed`)
  const scope = changed === undefined ? `\nThese are all files that match; ${request.hint}.\n` : ''
  return {
    code: codes.reduce(worst, '0'),
    text: upToLimit(
      `${title}\n\nNothing was sent. Each request on the last known state:\n\n${lines.join('\n')}\n${scope}`,
      parts,
    ),
  }
}

function nothing(why) {
  log(`nothing was previewed: ${why}`)
  return { code: '3', text: `${title}\n\nNothing was previewed: ${why}.\n` }
}

/** Files that the request changes or adds, as the checkout knows them; undefined where it has no commit to compare. */
function changedFiles() {
  try {
    if (!request.isBase()) return undefined
    const range = ['--end-of-options', request.base, 'HEAD', '--']
    const names = git('diff', '--name-only', '-z', '--relative', '--no-renames', '--diff-filter=d', ...range)
    return new Set(names.split('\0').map(normalize))
  } catch {
    return undefined
  }
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 })
}

function isFolder(file) {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function previewFile(file) {
  if (!isOwnFile(file)) {
    log(`${plain(file)}: not a file of the repository`)
    return { file, code: '2', text: 'It is a link, or not a file.' }
  }
  const options = [
    '--format=text',
    ...(env.AUDIT_FAIL_ON ? [`--fail-on=${env.AUDIT_FAIL_ON}`] : []),
    ...(env.AUDIT_CONFIG ? [`--config=${env.AUDIT_CONFIG}`] : []),
  ]
  const { status, stdout, stderr } = spawnSync('hookdrift', ['preview', ...options, '--', `./${file}`], {
    // The policy and the projects are those of the configuration, the state is that of the job's history.
    env: { ...env, HOOKDRIFT_HISTORY: env.AUDIT_HISTORY, FORCE_COLOR: '', CLICOLOR_FORCE: '' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
    maxBuffer: 16 * 1024 * 1024,
  })
  const ended = String(status ?? 4)
  log(`${plain(file)}: ${meaningOf(ended)} (exit code ${ended})`)
  const text = [stdout, stderr].map((part) => (part ?? '').trim()).filter((part) => part !== '')
  return { file, code: ended, text: block(text.join('\n\n')) }
}

/** A link could name any file of this machine. */
function isOwnFile(file) {
  try {
    return realpathSync(file) === join(realpathSync('.'), file) && lstatSync(file).isFile()
  } catch {
    return false
  }
}

function meaningOf(ended) {
  return meanings[ended] ?? 'could not be previewed'
}

/** The parts after the head, as many as a comment takes. */
function upToLimit(head, parts) {
  let text = head
  let left = parts.length
  for (const { file, text: about } of parts) {
    const part = `\n### ${inline(file)}\n\n${about}\n`
    if (text.length + part.length > longest) break
    text += part
    left--
  }
  return left === 0
    ? text
    : `${text}\nNot shown, as a comment is full: ${left} of ${parts.length}. \`hookdrift preview FILE\` shows each.\n`
}

/** Text of any kind as code in a line: nothing in it is markup, a mention, or invisible. */
function inline(text) {
  const shown = visible(text).replaceAll('\n', '\\n')
  const fence = fenceFor(shown, 1)
  return `${fence} ${shown} ${fence}`
}

function block(text) {
  const fence = fenceFor(text, 3)
  return `${fence}text\n${visible(text)}\n${fence}`
}

function fenceFor(text, least) {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(Math.max(least, ...runs.map((run) => run.length + 1)))
}

/** Characters that are invisible or reorder a line become visible. */
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** A name for the log, where a runner takes some texts for commands. */
function plain(name) {
  return name.replace(/[^\w./ -]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

function log(text) {
  console.error(`hookdrift: ${text}`)
}

function output(name, value) {
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`)
}
