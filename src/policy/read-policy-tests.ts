import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type Field, type Members, wireSchema } from '../gateway/fields.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { describeName, describeReference } from '../model/yaml/describe-value.ts'
import type { NodePath } from '../model/yaml/node-values.ts'
import { type FileProblem, refuseProblems } from '../model/yaml/problem.ts'
import { examineDocument, mostProblems, type ReadDocument, refuseFaults } from '../model/yaml/read-document.ts'
import { hintAt } from './policy-schema.ts'
import { type PolicyTest, policyTestFileSchema, policyTestSchema } from './policy-test-schema.ts'
import { inOneGo, type Steps } from './steps.ts'

/** A test and its position in the file. */
export interface TestAtPosition {
  readonly test: PolicyTest
  /** A message about the test, at its name, its list of expectations, or one of those. */
  problem(where: 'name' | 'expect' | number, text: string): FileProblem
  /** A message about a member, at its name. */
  problemAt(path: NodePath, text: string): FileProblem
}

const outline = z.looseObject({ tests: z.array(z.union([z.string(), policyTestSchema])).default([]) })

/**
 * Reads the tests of a policy: in its file, in the files under `tests`, and in the file next to it, `policy.test.yaml`
 * for `policy.yaml`.
 * @throws AuditError.usage with a line for every mistake
 */
export function readPolicyTests(
  file: string,
  readFile: (file: string) => string,
  ruleIds: readonly string[],
): readonly TestAtPosition[] {
  return inOneGo(policyTestSteps(file, readFile, ruleIds))
}

const mostFiles = 100

/** The same, one step for each file. */
export function* policyTestSteps(
  file: string,
  readFile: (file: string) => string,
  ruleIds: readonly string[],
): Steps<readonly TestAtPosition[]> {
  const examined = examineDocument(readFile(file), { file, schema: outline, takesAnyName: true })
  const document = examined.document ?? refuseFaults(examined)
  const problems: FileProblem[] = [...examined.problems]
  const named: string[] = []
  const tests: TestAtPosition[] = []
  for (const [index, entry] of document.value.tests.entries()) {
    if (typeof entry === 'string') {
      named.push(resolve(dirname(file), entry))
      if (named.length <= mostFiles) continue
      const text = `a policy names at most ${mostFiles} files of tests, and this is one more: merge some of them`
      refuseProblems([document.problem(['tests', index], text)])
    } else tests.push(withPosition(document, entry, index))
  }
  const neighbour = file.replace(/(?:\.ya?ml)?$/, '.test.yaml')
  for (const other of new Set(named)) {
    yield
    tests.push(...readTestFile(other, read(other, readFile), problems))
  }
  yield
  const text = named.includes(resolve(neighbour)) ? undefined : readIfThere(neighbour, readFile)
  if (text !== undefined) tests.push(...readTestFile(neighbour, text, problems))
  yield
  const unknown = Iterator.from(tests).flatMap((test) => findUnknownNames(test, ruleIds))
  refuseProblems([...problems, ...unknown.take(mostProblems)])
  return tests
}

function withPosition({ problem }: ReadDocument<unknown>, test: PolicyTest, index: number): TestAtPosition {
  return {
    test,
    problem(where, text) {
      const path = typeof where === 'number' ? ['expect', where] : [where]
      return problem(['tests', index, ...path], text)
    },
    problemAt: (path, text) => problem(['tests', index, ...path], text, 'key'),
  }
}

function readTestFile(file: string, text: string, problems: FileProblem[]): TestAtPosition[] {
  const examined = examineDocument(text, { file, schema: policyTestFileSchema })
  const document = examined.document ?? refuseFaults(examined)
  problems.push(...examined.problems)
  return document.value.tests.map((test, index) => withPosition(document, test, index))
}

function read(file: string, readFile: (file: string) => string): string {
  try {
    return readFile(file)
  } catch (error) {
    throw unreadable(file, error, 'check `tests` in the policy')
  }
}

function readIfThere(file: string, readFile: (file: string) => string): string | undefined {
  try {
    return readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw unreadable(file, error, 'its name makes it the tests of the policy next to it: correct it, or rename it')
  }
}

function unreadable(file: string, error: unknown, advice: string): AuditError {
  return AuditError.usage(`cannot read the tests ${file}: ${reasonOf(error)}`, { advice, cause: error })
}

function* findUnknownNames(test: TestAtPosition, ruleIds: readonly string[]): Generator<FileProblem> {
  for (const { resource, path, text } of findUnknownFields(test.test)) {
    yield test.problemAt(['resources', resource, ...path], text)
  }
  yield* findUnknownRules(test, ruleIds)
}

interface UnknownField {
  /** Its index among the resources of the test. */
  readonly resource: number
  readonly path: NodePath
  readonly text: string
}

/** By which a test names neighbours; the service shows them embedded. */
const neighbours = ['endpoint_uid', 'source_uid', 'device_uid']

/** Members of a test's resources that a service never shows: a test with such a slip would test something else. */
function* findUnknownFields({ resources }: PolicyTest): Generator<UnknownField> {
  for (const [index, { kind, ...fields }] of resources.entries()) {
    const more = kind === 'subscription' ? neighbours : []
    for (const { path, expected } of unknownIn(fields, wireSchema[kind], ['uid', ...more])) {
      const name = String(path.at(-1))
      const hint = hintAt(name, expected, `expected one of ${expected.join(', ')}`)
      const owner =
        path.length === 1
          ? kind
          : path
              .filter((step) => typeof step === 'string')
              .slice(0, -1)
              .join('.')
      yield { resource: index, path, text: `there is no field ${describeName(name)} of ${owner}, ${hint}` }
    }
  }
}

function* unknownIn(
  value: object,
  members: Members,
  more: readonly string[],
): Generator<{ readonly path: NodePath; readonly expected: readonly string[] }> {
  for (const [name, member] of Object.entries(value)) {
    const field: Field | undefined = Object.hasOwn(members, name) ? members[name] : undefined
    if (field === undefined) {
      if (!more.includes(name)) yield { path: [name], expected: [...new Set([...Object.keys(members), ...more])] }
      continue
    }
    if (field.type !== 'struct' && field.type !== 'keyed') continue
    const isList = Array.isArray(member)
    for (const [at, object] of (isList ? member : [member]).entries()) {
      if (typeof object !== 'object' || object === null) continue
      for (const { path, expected } of unknownIn(object, field.members, field.type === 'keyed' ? ['uid'] : [])) {
        yield { path: [name, ...(isList ? [at] : []), ...path], expected }
      }
    }
  }
}

function* findUnknownRules({ test, problem }: TestAtPosition, ruleIds: readonly string[]): Generator<FileProblem> {
  for (const [index, { rule }] of test.expect.entries()) {
    if (ruleIds.includes(rule)) continue
    const hint = hintAt(rule, ruleIds, '`hookdrift rules` lists them')
    yield problem(index, `there is no rule ${describeReference(rule)}, ${hint}`)
  }
}
