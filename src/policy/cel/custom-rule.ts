import { z } from 'zod'
import { maskCredentials } from '../../gateway/inventory/seal-text.ts'
import { messageOf } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Kind, ProjectRef, Resource } from '../../model/resource.ts'
import type { Severity } from '../../model/violation.ts'
import {
  type BoundRule,
  type EvaluationRun,
  emptyContext,
  type ResourcesOfProject,
  type Rule,
  type RuleFinding,
} from '../../rules/engine/rule.ts'
import {
  type CompiledExpression,
  compile,
  compileTemplate,
  type Mistake,
  type Template,
  type Uses,
  volatileFields,
} from './compile.ts'
import {
  type Language,
  languageOf,
  type ObjectValue,
  otherVariables,
  ProjectValue,
  rootValue,
  typeNameOf,
} from './language.ts'

/** A custom rule as in the policy file. */
export interface CustomSource {
  readonly id: string
  readonly kind: Kind
  readonly title?: string | undefined
  readonly remediation?: string | undefined
  readonly when?: string | undefined
  readonly assert: string
  readonly severity: Severity
  readonly message: string
  readonly controls?: readonly string[] | undefined
}

interface MistakeAtPosition extends Mistake {
  readonly member: 'when' | 'assert' | 'message'
}

/** The compiled expressions of a custom rule. */
interface Expressions {
  readonly kind: Kind
  readonly language: Language
  readonly when: CompiledExpression | undefined
  readonly assert: CompiledExpression
  readonly message: Template
}

/** Compiles a CEL rule of a policy file, or returns all mistakes in it. */
export function compileCustomRule(
  source: CustomSource,
  languages: Map<Kind, Language>,
): { readonly rule: Rule } | { readonly mistakes: readonly MistakeAtPosition[] } {
  const { kind } = source
  const language = languages.get(kind) ?? languageOf(kind)
  languages.set(kind, language)
  const wanted = { language, kind, types: ['bool', 'dyn'], expected: 'true or false' }
  const when = source.when === undefined ? undefined : compile(source.when, wanted)
  const assert = compile(source.assert, wanted)
  const message = compileTemplate(source.message, wanted)
  const mistakes = [...placed('when', when ?? {}), ...placed('assert', assert), ...placed('message', message)]
  if (!('compiled' in assert && 'template' in message) || mistakes.length > 0) return { mistakes }
  const expressions = {
    kind,
    language,
    when: when !== undefined && 'compiled' in when ? when.compiled : undefined,
    assert: assert.compiled,
    message: message.template,
  }
  return { rule: ruleOf(source, expressions) }
}

function placed(
  member: MistakeAtPosition['member'],
  result: { readonly mistakes: readonly Mistake[] } | object,
): MistakeAtPosition[] {
  const mistakes = 'mistakes' in result ? result.mistakes : []
  return mistakes.map((mistake) => ({ ...mistake, member }))
}

/** Resources related to another, for rules that read them. */
interface RelatedResources {
  readonly endpoint?: Resource
  readonly source?: Resource
  readonly subscriptions?: number
}

/** Variables of related resources. */
type RelatedVariable = keyof RelatedResources

const kindOfVariable = {
  endpoint: 'endpoint',
  source: 'source',
  subscriptions: 'subscription',
} as const satisfies Record<RelatedVariable, Kind>

function ruleOf(source: CustomSource, expressions: Expressions): Rule {
  const { id, kind, severity, remediation = '', controls = [] } = source
  const relatedVariables = othersUsed(expressions)
  const visits = relatedVariables.map((variable) => kindOfVariable[variable])
  return {
    id,
    kind,
    title: maskCredentials(source.title ?? inGeneral(source.message)),
    severity,
    packs: [],
    options: z.strictObject({}),
    needs: [kind, ...visits],
    ...unrecordedFieldsOf(expressions),
    scope: relatedVariables.length === 0 ? 'resource' : 'project',
    custom: { controls, remediation: maskCredentials(remediation), source: sourceOf(source) },
    bind: () => bound(expressions, relatedVariables),
  }
}

function othersUsed(expressions: Expressions): readonly RelatedVariable[] {
  const variables = Object.keys(otherVariables(expressions.kind))
  const used = usesOf(expressions)
  return (['endpoint', 'source', 'subscriptions'] as const).filter(
    (variable) => variables.includes(variable) && used.some((uses) => uses.has(variable)),
  )
}

function usesOf({ when, assert, message }: Expressions): readonly Uses[] {
  return [...(when === undefined ? [] : [when.uses]), assert.uses, ...message.uses]
}

/** A message without its particulars. */
function inGeneral(message: string): string {
  return message.replace(/\{\{|\}\}/g, '').replace(/\{[^{}]*\}/g, '…')
}

/** The members that it reads and that change by themselves, so the history does not store them. */
function unrecordedFieldsOf({ kind, when, assert }: Expressions): Pick<Rule, 'unrecorded'> {
  const volatile = volatileFields(kind)
  const read = [when, assert].flatMap((compiled) =>
    [...(compiled?.uses ?? [])].flatMap(([variable, members]) =>
      variable === 'project' || variable === 'subscriptions'
        ? []
        : [...(members === 'all' ? volatile : members)].filter((member) => volatile.has(member)),
    ),
  )
  return read.length === 0 ? {} : { unrecorded: [...new Set(read)] }
}

/** The parts that decide: a reworded title does not make another policy. */
function sourceOf({ kind, when, assert, message, severity }: CustomSource): JsonObject {
  return { kind, when: when ?? null, assert, message, severity }
}

function bound(expressions: Expressions, relatedVariables: readonly RelatedVariable[]): BoundRule {
  if (relatedVariables.length === 0) {
    return {
      scope: 'resource',
      *check(resource, _, { run } = emptyContext) {
        if (run === undefined) throw new Error('a custom rule was asked outside of a run')
        const problem = evaluate(expressions, resource, run.project, run, {})
        if (problem !== undefined) yield problem
      },
    }
  }
  return {
    scope: 'project',
    reads: [expressions.kind, ...relatedVariables.map((variable) => kindOfVariable[variable])],
    *check(project) {
      const { run } = project
      const relatedTo = expressions.kind === 'endpoint' ? countUsers(project) : findRelated(project, relatedVariables)
      const failures: unknown[] = []
      for (const resource of relatedTo === undefined ? [] : project.all(expressions.kind)) {
        const related = relatedTo?.(resource)
        if (related === undefined) continue
        try {
          const problem = evaluate(expressions, resource, run.project, run, related)
          if (problem !== undefined) yield { ...problem, at: resource }
        } catch (error) {
          // A failure loses no finding before or after it.
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

type RelatedTo = (resource: Resource) => RelatedResources | undefined

/** The number of subscriptions that deliver to an endpoint; undefined where not all of them are known. */
function countUsers({ all, isComplete }: ResourcesOfProject): RelatedTo | undefined {
  const targets = all('subscription').map(({ attributes }) => attributes.endpoint_uid)
  if (targets.includes(undefined) || !isComplete('subscription')) return undefined
  const users = Map.groupBy(targets, (target) => target)
  return ({ uid }) => ({ subscriptions: users.get(uid)?.length ?? 0 })
}

/**
 * The endpoint and source of a subscription. One without them, or with them outside the project, is not evaluated: other
 * rules report that.
 */
function findRelated({ all }: ResourcesOfProject, relatedVariables: readonly RelatedVariable[]): RelatedTo {
  const wanted = (['endpoint', 'source'] as const).filter((variable) => relatedVariables.includes(variable))
  const byUid = new Map(wanted.map((kind) => [kind, new Map(all(kind).map((resource) => [resource.uid, resource]))]))
  return ({ attributes }) => {
    const related: { endpoint?: Resource; source?: Resource } = {}
    for (const kind of wanted) {
      const uid = attributes[`${kind}_uid`]
      const target = typeof uid === 'string' ? byUid.get(kind)?.get(uid) : undefined
      if (target === undefined) return undefined
      related[kind] = target
    }
    return related
  }
}

/** @throws Error saying which resource could not be evaluated, and why */
function evaluate(
  { kind, language, when, assert, message }: Expressions,
  resource: Resource,
  project: ProjectRef,
  run: EvaluationRun,
  related: RelatedResources,
): RuleFinding | undefined {
  const context = {
    resource: objectOf(language, kind, resource),
    project: projectOf(project, run.labelsOf(project)),
    ...(related.endpoint === undefined ? {} : { endpoint: objectOf(language, 'endpoint', related.endpoint) }),
    ...(related.source === undefined ? {} : { source: objectOf(language, 'source', related.source) }),
    ...(related.subscriptions === undefined ? {} : { subscriptions: BigInt(related.subscriptions) }),
  }
  const ask = (expression: CompiledExpression) =>
    language.evaluation.run(run.meter, run, () => expression.evaluate(context))
  try {
    if (when !== undefined && truth(ask(when)) !== true) return undefined
    if (truth(ask(assert)) !== false) return undefined
  } catch (error) {
    throw new Error(`${kind} ${resource.uid}: ${reasonOf(error)}`)
  }
  const written = message.write((expression) => {
    try {
      return ask(expression)
    } catch {
      return undefined
    }
  })
  return { path: '', message: maskCredentials(written) }
}

const objects = new WeakMap<Language, WeakMap<Resource, ObjectValue>>()

/** Made once for all rules that evaluate a resource. */
function objectOf(language: Language, kind: Kind, resource: Resource): ObjectValue {
  const ofLanguage = objects.get(language) ?? new WeakMap<Resource, ObjectValue>()
  objects.set(language, ofLanguage)
  const known = ofLanguage.get(resource)
  if (known !== undefined) return known
  const Class = language.classes.get(typeNameOf(kind))
  if (Class === undefined) throw new Error(`no type for ${kind}`)
  const value = rootValue(Class, resource)
  ofLanguage.set(resource, value)
  return value
}

/** The last evaluated project: resources come project by project. */
let last: { readonly project: ProjectRef; readonly labels: object; readonly value: ProjectValue } | undefined

function projectOf(project: ProjectRef, labels: Readonly<Record<string, string>>): ProjectValue {
  if (last?.project !== project || last.labels !== labels) {
    last = { project, labels, value: new ProjectValue(project, labels) }
  }
  return last.value
}

/** Free-form values are checked during evaluation: only `true` counts as true. */
function truth(value: unknown): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean')
    throw new Error('the expression returned neither true nor false')
  return value
}

function reasonOf(error: unknown): string {
  const summary: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'summary') : undefined
  return typeof summary === 'string' ? summary : messageOf(error)
}
