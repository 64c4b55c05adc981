import { AuditError } from '../model/errors.ts'
import { policyService } from '../model/resource.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The text of a configuration, and where it is from. */
export interface ConfigurationText {
  readonly text: string
  /** Where no file has the text: the variable that a line of it is from. */
  readonly variableAt?: (line: number) => string
}

/** The environment without the variables that are a configuration where there is no file. */
export function withoutConfiguration(env: Environment): Environment {
  return { ...env, HOOKDRIFT_URL: undefined }
}

/**
 * The configuration of one service that the environment describes, as a text for the decoding of a file; undefined
 * where HOOKDRIFT_URL is unset or empty. Values are references, so that messages quote them as they do in a file.
 * @throws AuditError.usage when variables contradict each other or name no project
 */
export function environmentDocument(env: Environment): ConfigurationText | undefined {
  const variable = (name: string) => (Object.hasOwn(env, name) ? env[name] || undefined : undefined)
  const url = variable('HOOKDRIFT_URL')
  if (url === undefined) return undefined
  const projects = projectList(variable('HOOKDRIFT_PROJECTS') ?? 'all')
  const members: (readonly [variable: string, text: string])[] = [
    ['HOOKDRIFT_URL', 'services:'],
    ['HOOKDRIFT_URL', `- name: ${quoted(serviceName(url))}`],
    ['HOOKDRIFT_URL', `  url: ${quoted(reference('HOOKDRIFT_URL'))}`],
    keyMember(variable('HOOKDRIFT_KEY'), variable('HOOKDRIFT_KEY_FILE')),
    ['HOOKDRIFT_PROJECTS', `  projects: ${projects}`],
  ]
  // Where projects are needed, a reference to an unset variable is refused in words that name it.
  if (variable('HOOKDRIFT_ORGANISATION') !== undefined || projects === 'all') {
    members.push(['HOOKDRIFT_ORGANISATION', `  organisation: ${quoted(reference('HOOKDRIFT_ORGANISATION'))}`])
  }
  return {
    text: `${members.map(([, text]) => text).join('\n')}\n`,
    variableAt: (line) => members[line - 1]?.[0] ?? 'HOOKDRIFT_URL',
  }
}

function keyMember(key: string | undefined, file: string | undefined): readonly [string, string] {
  if (key !== undefined && file !== undefined) {
    throw AuditError.usage('HOOKDRIFT_KEY and HOOKDRIFT_KEY_FILE are both set', { advice: 'unset one of them' })
  }
  if (file === undefined) return ['HOOKDRIFT_KEY', `  key: ${quoted(reference('HOOKDRIFT_KEY'))}`]
  if (/[{}\0-\x1f]/.test(file)) {
    throw AuditError.usage('HOOKDRIFT_KEY_FILE has a brace or a control character', {
      advice: 'move the key to a file whose path has none',
    })
  }
  return ['HOOKDRIFT_KEY_FILE', `  key: ${quoted(reference(`file:${file}`))}`]
}

/** `all`, or `payments=01M7…,01M8…`: names with ids, or ids alone. */
function projectList(text: string): string {
  if (text.trim() === 'all') return 'all'
  const entries = text.split(',').map((entry) => entry.trim())
  const projects = entries.flatMap((entry): { readonly id: string; readonly name?: string }[] => {
    if (entry === '') return []
    const at = entry.indexOf('=')
    return at < 0 ? [{ id: entry }] : [{ id: entry.slice(at + 1).trim(), name: entry.slice(0, at).trim() }]
  })
  if (projects.length === 0) throw projectsError('names no project')
  for (const member of ['id', 'name'] as const) {
    const values = projects.flatMap(({ [member]: value }) => value ?? [])
    const twice = values.find((value, at) => values.indexOf(value) < at)
    if (twice !== undefined) throw projectsError(`has the ${member} ${twice} twice`)
  }
  return JSON.stringify(projects).replaceAll('${', () => '$${')
}

function projectsError(what: string): AuditError {
  return AuditError.usage(`HOOKDRIFT_PROJECTS ${what}`, {
    advice: 'set it to `all`, or to names and ids, such as payments=ID-OF-THE-PROJECT,orders=ID-OF-ANOTHER',
  })
}

/** The host of the service; the schema refuses what is not a URL. */
function serviceName(url: string): string {
  const name = (URL.parse(url)?.hostname ?? '').replace(/[^\w.-]/g, '')
  return /^\w/.test(name) && name !== policyService ? name : 'service'
}

function reference(name: string): string {
  return `\${${name}}`
}

/** JSON is YAML. */
function quoted(text: string): string {
  return JSON.stringify(text)
}
