import { exportedName } from './rule-table.ts'

/** Kinds whose rules read one resource: for them a rule can be started from a template. */
export const kinds = ['endpoint', 'project', 'source', 'subscription'] as const
export type TemplateKind = (typeof kinds)[number]

/**
 * What the template checks, until a contributor replaces it: a value that no real resource has. `change` is a row of
 * the simulated service that breaks the rule, `shown` and `sound` are the attributes that a rule sees.
 */
const examples = {
  endpoint: {
    condition: "attributes.description === 'replace-me'",
    path: '/description',
    row: 'EndpointRow',
    change: "{ description: 'replace-me' }",
    sees: ["anEndpoint({ description: 'replace-me' })", "anEndpoint({ description: 'orders' })"],
    uid: 'e1',
  },
  project: {
    condition: 'attributes.config?.ratelimit?.count === 999_999',
    path: '/config/ratelimit/count',
    row: 'ProjectConfig',
    change: '{ ratelimit: { count: 999_999, duration: 60 } }',
    sees: [
      'aProject({ config: { ratelimit: { count: 999_999 } } })',
      'aProject({ config: { ratelimit: { count: 1000 } } })',
    ],
    uid: 'p',
  },
  source: {
    condition: "attributes.provider === 'replace-me'",
    path: '/provider',
    row: 'SourceRow',
    change: "{ provider: 'replace-me' }",
    sees: ["aSource({ provider: 'replace-me' })", "aSource({ provider: 'github' })"],
    uid: 'q1',
  },
  subscription: {
    condition: "attributes.delivery_mode === 'replace-me'",
    path: '/delivery_mode',
    row: 'SubscriptionRow',
    change: "{ delivery_mode: 'replace-me' }",
    sees: ["aSubscription({ delivery_mode: 'replace-me' })", "aSubscription({ delivery_mode: 'at_least_once' })"],
    uid: 's1',
  },
} as const satisfies Record<TemplateKind, object>

/** `src/rules/KIND/NAME.ts`: a rule that works, and is to be replaced. */
export function ruleFile(id: string, kind: TemplateKind): string {
  const { condition, path } = examples[kind]
  return `import { resourceRule } from '../engine/define-rule.ts'

export const ${exportedName(id)} = resourceRule('${kind}', {
  id: '${id}',
  title: '${titleOf(kind)} has a value that is to be replaced',
  severity: 'low',
  packs: ['hygiene'],
  check({ attributes }) {
    if (${condition}) {
      return { path: '${path}', message: 'is to be replaced' }
    }
    return undefined
  },
})
`
}

/** A row of the table of its kind, as a template that works. */
export function ruleRow(id: string, kind: TemplateKind): string {
  const { condition, path } = examples[kind]
  return `  fieldRule('${kind}', {
    id: '${id}',
    title: '${titleOf(kind)} has a value that is to be replaced',
    severity: 'low',
    packs: ['hygiene'],
    path: '${path}',
    isWrong: (attributes) => ${condition},
    says: 'is to be replaced',
  }),
`
}

/** `test/rules/KIND/NAME.cases.ts`. */
export function casesFile(kind: TemplateKind): string {
  const { row, change, sees, path, uid } = examples[kind]
  const [broken, sound] = sees
  return `import type { ${row} } from '../../../src/demo/rows.ts'
import { ${sound.slice(0, sound.indexOf('('))}, type Cases } from '../rule-cases.ts'

/** What the service stores when a resource breaks the rule: test/rules/broken-fleet.test.ts audits a fleet with it. */
export const broken = {
  change: ${change},
${kind === 'project' ? '' : `  /** Rules that the same row breaks as well. */\n  also: [],\n`}} satisfies { change: Partial<${row}>${kind === 'project' ? '' : '; also: string[]'} }

export const cases: Cases = {
  'finds a value that is to be replaced': {
    sees: [${broken}],
    finds: ['low ${uid}${path}: is to be replaced'],
  },
  'leaves another value alone': { sees: [${sound}] },
}
`
}

/** `docs/rules/KIND/NAME.md` without its header, which is generated from the rule. */
export function pageBody(): string {
  return `## What

The value is to be replaced.

## Why

It says nothing about the resource.

## How we know

- Not about the gateway: the value comes from the template of new rules.

## How to fix

Replace the value.

## When to waive

Never.
`
}

/** `test/rules/broken-rows.ts` with the row of a new rule. */
export function withBrokenRow(text: string, id: string, kind: TemplateKind): string {
  const name = `${kind}${exportedName(id).replace(/^./, (letter) => letter.toUpperCase())}`
  const row = kind === 'project' ? `() => ${name}.change` : `${kind}(${name}.change, ...${name}.also)`
  const table = text.indexOf(`export const ${kind}Breaks`)
  const end = text.indexOf('\n}\n', table) + 1
  if (table < 0 || end === 0) throw new Error(`test/rules/broken-rows.ts has no table ${kind}Breaks`)
  const imports = text.lastIndexOf('\nimport ', table) + 1
  const afterImports = text.indexOf("'\n", imports) + 2
  const added = `import { broken as ${name} } from './${id}.cases.ts'\n`
  return `${text.slice(0, afterImports)}${added}${text.slice(afterImports, end)}  '${id}': ${row},\n${text.slice(end)}`
}

function titleOf(kind: TemplateKind): string {
  return kind.replace(/^./, (letter) => letter.toUpperCase())
}
