import { configurationJsonSchema } from '../../src/config/configuration-schema.ts'
import { environment } from './environment.ts'

/** As much of JSON Schema as the configuration's uses. */
interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

const intro = `# The configuration

Every member of \`hookdrift.yaml\`. Generated from [its schema](../../config/hookdrift.schema.json) by \`npm run reference\`;
[config/hookdrift.example.yaml](../../config/hookdrift.example.yaml) shows each member once.

Any text may hold \`\${VAR}\`, \`\${VAR:-default}\` or \`\${file:PATH}\`, and a secret is written so; \`$\${\` is a literal \`\${\`.
Paths are relative to the file. Durations are numbers with \`ms\`, \`s\`, \`m\` or \`h\`; \`keep_within\` has units of its own.

\`hookdrift doctor --offline\` reports every mistake, also in the policy, and warns of what is likely one, such as a project
that no schedule audits. \`hookdrift config show\` shows what is in force and where each value comes from.

## Options

\`hookdrift COMMAND --help\` and \`man hookdrift\` describe each command with its options and examples; the shell can
[complete them](../how-to/install.md#completion). An option comes before a variable, and a variable before a default:
\`--config\`, \`HOOKDRIFT_CONFIG\`, \`hookdrift.yaml\`. All commands exit as [exit codes](errors.md#exit-codes) says.

Each command takes \`--color auto|always|never\`. \`auto\` means colour on a terminal, unless \`NO_COLOR\` is set or \`TERM\`
is \`dumb\`. \`FORCE_COLOR\` or \`CLICOLOR_FORCE\` means colour in a pipe, too; \`NO_COLOR\` comes before both. Files of
\`--report\` and \`--output\` have none.

## In an editor

Editors that speak the YAML language server complete and check the file when its first line names the schema, which
\`hookdrift config schema > hookdrift.schema.json\` writes (\`--path\` prints where the installed package has it;
\`--policy\`, \`--policy-tests\` and \`--framework\` choose another one):

\`\`\`yaml
# yaml-language-server: $schema=./hookdrift.schema.json
\`\`\`

## Without a file

Where there is no \`hookdrift.yaml\`, and neither \`--config\` nor \`HOOKDRIFT_CONFIG\` names a file, variables are the
configuration of one service, whose name is its host:

\`\`\`sh
export HOOKDRIFT_URL=https://hooks.example.com HOOKDRIFT_KEY_FILE=/run/secrets/acme
HOOKDRIFT_PROJECTS=all HOOKDRIFT_ORGANISATION=01KZ2EQ4003TYCW8DJTDTD31XD hookdrift audit
\`\`\`

\`hookdrift audit --url URL\` takes the place of \`HOOKDRIFT_URL\`. An empty variable counts as unset.

## Environment

${environment.map(([name, about]) => `- ${name}: ${about}`).join('\n')}
`

/** The page about every member of the configuration. */
export function configurationPage(): string {
  const schema: Schema = JSON.parse(JSON.stringify(configurationJsonSchema()))
  const members = Object.entries(schema.properties ?? {})
  const plain = members.filter(([, member]) => !hasMembers(member))
  const sections = members.filter(([, member]) => hasMembers(member))
  const general = ['## General', '', ...plain.flatMap(([name, member]) => rowsOf(name, member, schema)), ''].join('\n')
  return [
    intro,
    general,
    ...sections.map(([name, member]) => {
      const about = member.description === undefined ? [] : [sentence(member.description), '']
      return [`## ${name}`, '', ...about, ...memberRows(member, ''), ''].join('\n')
    }),
  ].join('\n')
}

function hasMembers(schema: Schema): boolean {
  return membersOf(schema).length > 0
}

interface Member {
  readonly name: string
  readonly schema: Schema
  readonly owner: Schema
  /** The `type` of each alternative that means this by a name, where others mean something else by it. */
  readonly types?: readonly unknown[]
}

/** Its own, or those of what it lists; of alternatives, each member once for each meaning. */
function membersOf(schema: Schema): readonly Member[] {
  const alternatives = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].map((one) => one.items ?? one)
  const deeper = alternatives.flatMap((one) => [one, ...(one.oneOf ?? []), ...(one.anyOf ?? [])])
  const all = deeper.flatMap((owner): Member[] =>
    Object.entries(owner.properties ?? {}).map(([name, schema]) => ({ name, schema, owner })),
  )
  return [...Map.groupBy(all, ({ name }) => name).values()].flatMap((same) => {
    const distinct = [...new Map(same.map((member) => [member.schema.description, member])).values()]
    const types = same.flatMap(({ schema: { const: value } }) => (value === undefined ? [] : [value]))
    if (distinct.length > 1) {
      return distinct.map((one) => {
        const alike = same.filter(({ schema: { description } }) => description === one.schema.description)
        return { ...one, types: alike.map(({ owner }) => owner.properties?.type?.const) }
      })
    }
    return distinct.map((one) => (types.length === 0 ? one : { ...one, schema: { ...one.schema, enum: types } }))
  })
}

function memberRows(schema: Schema, prefix: string): readonly string[] {
  return membersOf(schema).flatMap(({ name, schema: member, owner, types }) =>
    rowsOf(`${prefix}${name}`, member, owner, types),
  )
}

function rowsOf(path: string, schema: Schema, owner: Schema, types: readonly unknown[] = []): readonly string[] {
  const name = path.replace(/^.*\./, '')
  const needed = owner.required?.includes(name) === true && schema.default === undefined ? ' Required.' : ''
  const values = schema.enum ?? []
  const choices = values.length === 0 ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`
  const isSaid = schema.description?.includes('Default') === true || hasMembers(schema)
  const fallback =
    schema.default === undefined || isSaid ? '' : ` Default: \`${JSON.stringify(schema.default).replaceAll('"', '')}\`.`
  const about = schema.description === undefined ? '' : ` ${sentence(schema.description)}${rangeOf(schema)}`
  const list = schema.type === 'array' ? '[]' : ''
  // What most of them mean needs no list of them.
  const of = types.length === 0 || types.length > 2 ? '' : ` of ${types.map((type) => `\`${type}\``).join(' and ')}`
  const row = `- \`${path}${list}\`${of}:${about}${choices}${needed}${fallback}`.replace(/:$/, '')
  return [row, ...memberRows(schema, `${path}${list}.`)]
}

/** Of whole numbers. */
function rangeOf({ type, minimum, maximum }: Schema): string {
  if (type !== 'integer' || minimum === undefined || maximum === undefined) return ''
  return maximum === Number.MAX_SAFE_INTEGER ? ` At least ${minimum}.` : ` From ${minimum} to ${maximum}.`
}

/** How a secret is written is said once, above. */
function sentence(text: string): string {
  const brief = text.replace(/[,;] as \$\{VAR\} or \$\{file:PATH\}/, '')
  return /[.!?)…]$/.test(brief) ? brief : `${brief}.`
}
