import { join } from 'node:path'
import { z } from 'zod'
import { readConfiguration } from '../../config/read-configuration.ts'
import { AuditError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { isAtLeast } from '../../model/violation.ts'
import { readYaml, writeYaml } from '../../model/yaml/write-yaml.ts'
import { readPolicy } from '../../policy/read-policy.ts'
import { rules } from '../../rules/rules.ts'
import type { Answers, Target } from './interview.ts'

/** `deploy/init/github/target.yaml` and its like. Paths of files are relative to the chosen directory, with `/`. */
const targetSchema = z.strictObject({
  /** Where audits run, if it is another machine than this one. */
  machine: z.string().exactOptional(),
  /** Paths of two of the files. */
  configuration: z.string(),
  policy: z.string(),
  /** The template of each file, as a path in the package. */
  files: z.record(z.string(), z.string()),
  /** Commands to run next, in this order, and what each is for; empty where the command says it. */
  next: z.array(z.strictObject({ command: z.string(), purpose: z.string().default('') })),
})

/** A file to write. */
export interface PlannedFile {
  readonly path: string
  readonly text: string
}

export interface Plan extends Omit<z.output<typeof targetSchema>, 'files'> {
  readonly files: readonly PlannedFile[]
}

interface Package {
  /** The version of hookdrift. */
  readonly version: string
  /** Reads a file of the package, such as `deploy/systemd/hookdrift-worker.service`. */
  readonly readPackageFile: (path: string) => string
}

/** All files of a set-up, and what to do with them. */
export function planFiles(answers: Answers, { version, readPackageFile }: Package): Plan {
  const { service, keyVariable, strictness, target, waivers = '' } = answers
  const { name, url, organisation, projects } = service
  const values = {
    service: name,
    url,
    organisation,
    projects: projects === 'all' ? 'all' : projects.map((project): Json => ({ ...project })),
    key_variable: keyVariable,
    strictness,
    minor_rules: minorRules(),
    version,
  }
  const fill = (path: string) => fillTemplate(readPackageFile(path), values)
  const { files, ...plan } = targetSchema.parse(readYaml(fill(targetFile(target))))
  const more = waivers === '' ? '' : `\n${waivers}`
  return {
    ...plan,
    files: Object.entries(files).map(([path, template]) => ({
      path,
      text: path === plan.policy ? fill(template) + more : fill(template),
    })),
  }
}

/** The paths do not depend on the other answers. */
export function pathsOf(target: Target, { readPackageFile }: Package): readonly string[] {
  return Object.keys(targetSchema.parse(readYaml(readPackageFile(targetFile(target)))).files)
}

function targetFile(target: Target): string {
  return `deploy/init/${target}/target.yaml`
}

/** Those that are about the policy itself are not among them: they find waivers that end. */
function minorRules(): Record<string, 'off'> {
  const minor = rules.filter(
    ({ id, severity, packs }) =>
      packs.includes('recommended') && !isAtLeast(severity, 'high') && !id.startsWith('waiver/'),
  )
  return Object.fromEntries(minor.map(({ id }) => [id, 'off']))
}

/**
 * Reads configuration and policy as `hookdrift audit` will, before they are written. A key that is not there yet has a
 * made-up value.
 * @param directory absolute path of the chosen one
 * @throws Error when hookdrift would refuse what it is about to write, which is a bug
 */
export function checkFiles(
  { files, configuration, policy }: Plan,
  { directory, keyVariable, now }: { readonly directory: string; readonly keyVariable: string; readonly now: number },
): void {
  const texts = new Map(files.map(({ path, text }) => [join(directory, path), text]))
  const readFile = (path: string) => texts.get(path) ?? 'not-a-real-key'
  try {
    readConfiguration(join(directory, configuration), { env: { [keyVariable]: 'not-a-real-key' }, readFile })
    readPolicy(join(directory, policy), readFile, now)
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    throw new Error(`init made a file that hookdrift refuses: ${error.message}`, { cause: error })
  }
}

/**
 * `__name__` is a name in YAML, shell, Compose and expressions of GitHub: a template is a valid file of its format. It
 * is all of a member's value, a key or the only item of a list, or a part of some text.
 */
const placeholder =
  /^( {0,20}(?:- )?)(\w{1,40}): __([a-z_]{1,40})__\n|(?<=^ {0,20}|\[ )__([a-z_]{1,40})__(?=:| \])|__([a-z_]{1,40})__/gm

/**
 * Fills a template. A member's value may be anything, and undefined leaves the member out. Elsewhere a value must be a
 * word: it needs no escape in text, in a shell, in a path and in a comment. As a key or an item it is quoted where YAML
 * would read another type.
 * @throws Error for a name without a value, and for a value that is not a word where it must be one
 */
export function fillTemplate(template: string, values: Readonly<Record<string, Json | undefined>>): string {
  const read = (name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`a template names ${name}, which has no value`)
    return values[name]
  }
  const readWord = (name: string) => {
    const value = read(name)
    if (typeof value === 'string' && /^[\w.-]{1,200}$/.test(value)) return value
    throw new Error(`a template has ${name} in a text, and its value is not a word`)
  }
  return template.replace(
    placeholder,
    (_, indent: string, member: string, all: string | undefined, item: string | undefined, part: string) => {
      if (item !== undefined) return writeYaml(readWord(item)).trimEnd()
      if (all === undefined) return readWord(part)
      const value = read(all)
      if (value === undefined) return ''
      return indent + writeYaml({ [member]: value }).replace(/\n(?=.)/g, `\n${' '.repeat(indent.length)}`)
    },
  )
}
