import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { AuditError, reasonOf } from '../model/errors.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeReference } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import { type FileProblem, refuseProblems } from '../yaml/problem.ts'
import { examineDocument, mostProblems, type ReadDocument, refuseFaults } from '../yaml/read-document.ts'
import { findUnknownFields } from './find-unknown-fields.ts'
import { type PolicyTest, policyTestFileSchema, policyTestSchema } from './policy-test-schema.ts'
import { inOneGo, type Steps } from './steps.ts'

/** A test and its place. */
export interface PlacedTest {
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
): readonly PlacedTest[] {
  return inOneGo(policyTestSteps(file, readFile, ruleIds))
}

const mostFiles = 100

/** The same, one step for each file. */
export function* policyTestSteps(
  file: string,
  readFile: (file: string) => string,
  ruleIds: readonly string[],
): Steps<readonly PlacedTest[]> {
  const examined = examineDocument(readFile(file), { file, schema: outline, takesAnyName: true })
  const document = examined.document ?? refuseFaults(examined)
  const problems: FileProblem[] = [...examined.problems]
  const named: string[] = []
  const tests: PlacedTest[] = []
  for (const [index, entry] of document.value.tests.entries()) {
    if (typeof entry === 'string') {
      named.push(resolve(dirname(file), entry))
      if (named.length <= mostFiles) continue
      const text = `a policy names at most ${mostFiles} files of tests, and this is one more: merge some of them`
      refuseProblems([document.problem(['tests', index], text)])
    } else tests.push(placed(document, entry, index))
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

function readTestFile(file: string, text: string, problems: FileProblem[]): PlacedTest[] {
  const examined = examineDocument(text, { file, schema: policyTestFileSchema })
  const document = examined.document ?? refuseFaults(examined)
  problems.push(...examined.problems)
  return document.value.tests.map((test, index) => placed(document, test, index))
}

function placed({ problem }: ReadDocument<unknown>, test: PolicyTest, index: number): PlacedTest {
  return {
    test,
    problem(where, text) {
      const path = typeof where === 'number' ? ['expect', where] : [where]
      return problem(['tests', index, ...path], text)
    },
    problemAt: (path, text) => problem(['tests', index, ...path], text, 'key'),
  }
}

function* findUnknownNames(test: PlacedTest, ruleIds: readonly string[]): Generator<FileProblem> {
  for (const { resource, path, text } of findUnknownFields(test.test)) {
    yield test.problemAt(['resources', resource, ...path], text)
  }
  yield* findUnknownRules(test, ruleIds)
}

function* findUnknownRules({ test, problem }: PlacedTest, ruleIds: readonly string[]): Generator<FileProblem> {
  for (const [index, { rule }] of test.expect.entries()) {
    if (ruleIds.includes(rule)) continue
    const nearest = nearestName(rule, ruleIds)
    const hint = nearest === undefined ? '`hookdrift rules` lists them' : `did you mean \`${nearest}\`?`
    yield problem(index, `there is no rule ${describeReference(rule)}, ${hint}`)
  }
}

function read(file: string, readFile: (file: string) => string): string {
  try {
    return readFile(file)
  } catch (error) {
    throw AuditError.usage(`cannot read the tests ${file}: ${reasonOf(error)}`, {
      advice: 'check `tests` in the policy',
      cause: error,
    })
  }
}

function readIfThere(file: string, readFile: (file: string) => string): string | undefined {
  try {
    return readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
