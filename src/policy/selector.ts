import { z } from 'zod'
import { findsPattern, patternFault } from '../gateway/expressions.ts'
import { maskCredentials } from '../gateway/inventory/seal-text.ts'
import { hostOf } from '../gateway/inventory/split-url.ts'
import { matchesGlob } from '../model/glob.ts'
import { isReadable, kinds, type ProjectRef, type Resource } from '../model/resource.ts'

const oneOrMore = <T extends z.ZodType>(value: T) => z.union([value, z.array(value).min(1)])
const glob = oneOrMore(z.string().min(1).max(1000))
const pattern = oneOrMore(
  z
    .string()
    .min(1)
    .max(1000)
    .refine(isPattern, { error: 'a text with `*` for any text, or a regular expression (RE2) between slashes' }),
)

/** Selects resources: every key must match; of several values one is enough. */
export const selectorSchema = z
  .strictObject({
    service: glob.exactOptional().describe('Name of a service; `*` matches any text'),
    project: glob.exactOptional().describe('service/project; `*` matches any text'),
    labels: z
      .record(z.string(), oneOrMore(z.string()))
      // No label at all would match every project.
      .refine((labels) => Object.keys(labels).length > 0, { error: 'at least one label, such as `env: prod`' })
      .exactOptional()
      .describe("The project's labels"),
    kind: oneOrMore(z.enum(kinds)).exactOptional(),
    name: pattern.exactOptional().describe('Name of the resource: with `*`, or a regular expression between slashes'),
    owner: glob.exactOptional().describe('owner_id of an endpoint'),
    uid: oneOrMore(z.string().min(1)).exactOptional(),
    url_host: glob.exactOptional().describe("Host of the resource's address"),
  })
  .refine((selector) => Object.keys(selector).length > 0, {
    error: 'at least one of its keys',
    // A key that is misspelt has a message of its own.
    when: ({ issues }) => issues.length === 0,
  })

export type Selector = z.infer<typeof selectorSchema>

export type Labels = Readonly<Record<string, string>>

/** Which projects a selector can match at all. */
export function reachOf({ service, project, labels }: Selector): (project: ProjectRef, labels: Labels) => boolean {
  const tests = { service: anyOf(service), project: anyOf(project) }
  const wanted = Object.entries(labels ?? {}).map(([label, values]) => [label, listOf(values)] as const)
  return (project, labels) =>
    tests.service(() => project.service) &&
    tests.project(() => project.name) &&
    wanted.every(([label, values]) => values.includes(labels[label] ?? ''))
}

export interface Matcher {
  matches(project: ProjectRef, labels: Labels, resource: Resource): boolean
  /** JSON Pointers of what decides whether it matches, and is unknown; none where it does not depend on that. */
  unknownOf(project: ProjectRef, labels: Labels, resource: Resource): readonly string[]
}

/** Compiles a selector once, because a run evaluates it for every resource. */
export function matcherOf(selector: Selector): Matcher {
  const testName = anyOf(selector.name)
  // Hosts have no case.
  const hosts = selector.url_host && listOf(selector.url_host).map((host) => host.toLowerCase())
  const testOwner = anyOf(selector.owner)
  const testHost = anyOf(hosts)
  const tests = [
    {
      pointer: '/owner_id',
      isAsked: selector.owner !== undefined,
      passes: ({ attributes }: Resource) => testOwner(() => textOf(attributes.owner_id)),
    },
    {
      pointer: '/url',
      isAsked: hosts !== undefined,
      passes: ({ attributes }: Resource) => testHost(() => hostOf(textOf(attributes.url)).toLowerCase()),
    },
  ].filter(({ isAsked }) => isAsked)
  const uids = selector.uid === undefined ? undefined : new Set(listOf(selector.uid))
  const ofKinds = selector.kind === undefined ? undefined : new Set(listOf(selector.kind))
  const reaches = reachOf(selector)
  const isNamed = (project: ProjectRef, labels: Labels, { kind, uid, name }: Resource) =>
    (ofKinds === undefined || ofKinds.has(kind)) &&
    (uids === undefined || uids.has(uid)) &&
    reaches(project, labels) &&
    testName(() => name)
  return {
    matches: (project, labels, resource) =>
      isNamed(project, labels, resource) &&
      tests.every(({ pointer, passes }) => !isUnknown(resource, pointer) && passes(resource)),
    unknownOf(project, labels, resource) {
      const unknown = isReadable(resource) ? [] : tests.filter(({ pointer }) => isUnknown(resource, pointer))
      if (unknown.length === 0 || !isNamed(project, labels, resource)) return []
      const isOpen = tests.every(({ pointer, passes }) => isUnknown(resource, pointer) || passes(resource))
      return isOpen ? unknown.map(({ pointer }) => pointer) : []
    },
  }
}

function isUnknown({ unseen = [], malformed = [] }: Resource, pointer: string): boolean {
  return unseen.includes(pointer) || malformed.includes(pointer)
}

/** A selector in words: `project acme/*, name test-*`; of many values, the first two. The history keeps them. */
export function describeSelector({ labels = {}, ...keys }: Selector): string {
  const parts = [
    ...Object.entries(keys).map(([key, values]) => `${key} ${someOf(listOf(values ?? []))}`),
    ...Object.entries(labels).map(([label, values]) => `label ${label} ${someOf(listOf(values))}`),
  ]
  return maskCredentials(parts.join(', '))
}

function someOf(values: readonly string[]): string {
  const [first = '', second, ...others] = values
  if (second === undefined) return first
  return others.length === 0 ? `${first} or ${second}` : `${first}, ${second} or ${others.length} more`
}

/** Without a pattern everything matches, and the text is not computed. */
function anyOf(patterns: string | readonly string[] | undefined): (text: () => string) => boolean {
  if (patterns === undefined) return () => true
  const tests = listOf(patterns).map(testOf)
  return (text) => {
    const value = text()
    return tests.some((test) => test(value))
  }
}

/** `/^test-/` is a regular expression found anywhere; anything else matches whole, `*` for any text. */
function testOf(pattern: string): (text: string) => boolean {
  const expression = /^\/(.+)\/$/s.exec(pattern)?.[1]
  if (expression === undefined) return (text) => matchesGlob(text, pattern)
  const fault = patternFault(expression)
  if (fault !== undefined) throw new Error(fault)
  return (text) => findsPattern(expression, text)
}

function isPattern(pattern: string): boolean {
  try {
    testOf(pattern)
    return true
  } catch {
    return false
  }
}

function listOf<T>(values: T | readonly T[]): readonly T[] {
  // A union of one and many, which Array.isArray does not narrow for readonly arrays.
  return Array.isArray(values) ? values : [values as T]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
