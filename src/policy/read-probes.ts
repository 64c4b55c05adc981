import { hash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { canonicalJson, firstDifference } from '../model/canonical-json.ts'
import { messageOf, reasonOf } from '../model/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { FileProblem } from '../model/yaml/problem.ts'
import type { ReadDocument } from '../model/yaml/read-document.ts'
import { compilerFrom, type LoadCompiler } from './expression-compiler.ts'
import { type Expectation, functionFields, type Probe, type WrittenProbe } from './probe.ts'
import { matcherOf } from './selector.ts'
import type { Steps } from './steps.ts'

/** Limit of a payload or a function; a service accepts a few hundred kilobytes by default. */
const mostCharacters = 1024 * 1024
const tooLarge = `is larger than a probe may be: ${mostCharacters} characters`

type ProbesDocument = ReadDocument<{ readonly probes: readonly WrittenProbe[] }>

/**
 * Reads the probes of a policy file with the files that they name, and their mistakes; one step each. `file`: the policy,
 * to which paths are relative.
 */
export function* readProbes(
  document: ProbesDocument,
  file: string,
  { readFile, loadCompiler }: { readonly readFile: (file: string) => string; readonly loadCompiler: LoadCompiler },
): Steps<{ probes: Probe[]; problems: FileProblem[] }> {
  const problems: FileProblem[] = []
  const probes: Probe[] = []
  for (const [index, written] of document.value.probes.entries()) {
    yield
    const complain = (member: string, text: string) => {
      problems.push(document.problem(['probes', index, member], text))
    }
    const read = (member: string, path: string) => readPart(path, readFile, member, complain)
    const from = (path: string) => resolve(dirname(file), path)
    const payloadFile = from(written.payload)
    const payload = payloadOf(read('payload', payloadFile), payloadFile, complain)
    const functionText = written.function_file === undefined ? '' : read('function_file', from(written.function_file))
    const expectation = yield* expectationOf(written, loadCompiler, (offset, text) => {
      problems.push(document.problemWithin(['probes', index, 'expect'], offset, text))
    })
    if (payload === undefined || functionText === undefined || expectation === 'refused') continue
    probes.push(probeOf(written, { payload, functionText, expectation }))
  }
  return { probes, problems }
}

/**
 * Names of probes must be unique, because the history uses them as keys. A probe of a file that is extended twice is
 * one.
 */
export function* findDoubleProbes(
  { value, problem }: ProbesDocument,
  extended: readonly Probe[],
): Generator<FileProblem> {
  const digests = new Map<string, string>()
  for (const { name, said } of extended) {
    const text = JSON.stringify(said)
    if (digests.has(name) && digests.get(name) !== text) {
      yield problem(['extends'], `they contain two different probes \`${name}\``)
    }
    digests.set(name, text)
  }
  for (const [index, { name }] of value.probes.entries()) {
    if (digests.has(name)) yield problem(['probes', index, 'name'], `there is another probe \`${name}\``)
    digests.set(name, '')
  }
}

/** Each name once. */
export function withoutRepeats(probes: readonly Probe[]): Probe[] {
  return [...new Map(probes.map((probe) => [probe.name, probe])).values()]
}

/** Parses the payload for a function, or returns what is wrong with it. */
export function readPayload(text: string): { readonly payload: JsonObject } | { readonly fault: string } {
  if (text.length > mostCharacters) return { fault: tooLarge }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    // The parser's message quotes the text; the position alone is safe.
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(messageOf(error)) ?? []
    return { fault: line === undefined ? 'is not JSON' : `is not JSON (line ${line}, column ${column})` }
  }
  if (isJsonObject(value)) return { payload: value }
  return { fault: 'does not contain a JSON object, the only payload that a function accepts' }
}

/** This JSON value and no other; the order of members means nothing. */
export function expectJson(expected: Json): Expectation {
  const wanted = canonicalJson(expected)
  return {
    evaluate(result) {
      if (canonicalJson(result) === wanted) return { is: 'met' }
      const where = firstDifference(expected, result)
      return {
        is: 'broken',
        complaint: `the result differs from the expected JSON${where === '' ? '' : ` at ${where}`}`,
      }
    },
  }
}

type Complain = (member: string, text: string) => void

function readPart(
  path: string,
  readFile: (file: string) => string,
  member: string,
  complain: Complain,
): string | undefined {
  let text: string
  try {
    text = readFile(path)
  } catch (error) {
    complain(member, `cannot read ${path}: ${reasonOf(error)}`)
    return undefined
  }
  if (text.length <= mostCharacters) return text
  complain(member, `${path} ${tooLarge}`)
  return undefined
}

function payloadOf(text: string | undefined, path: string, complain: Complain): JsonObject | undefined {
  if (text === undefined) return undefined
  const read = readPayload(text)
  if ('payload' in read) return read.payload
  complain('payload', `${path} ${read.fault}`)
  return undefined
}

function* expectationOf(
  written: WrittenProbe,
  loadCompiler: LoadCompiler,
  complain: (offset: number, text: string) => void,
): Steps<Expectation | undefined | 'refused'> {
  if (written.expect_json !== undefined) return expectJson(written.expect_json)
  if (written.expect === undefined) return undefined
  const { expectExpression } = yield* compilerFrom(loadCompiler)
  const result = expectExpression(written.expect)
  if ('expectation' in result) return result.expectation
  for (const { offset, text } of result.mistakes) complain(offset, text)
  return 'refused'
}

interface ProbeContent {
  readonly payload: JsonObject
  readonly functionText: string
  readonly expectation: Expectation | undefined
}

function probeOf(written: WrittenProbe, { payload, functionText, expectation }: ProbeContent): Probe {
  const { name, match, function: probed } = written
  const { matches } = matcherOf(match)
  const type = written.type ?? (probed === 'body' ? 'body' : 'header')
  // Decoded values of the policy file are JSON.
  const statement = [written as Json, hash('sha256', JSON.stringify(payload)), hash('sha256', functionText)]
  return {
    name,
    function: probed,
    functionText: written.function_file === undefined ? undefined : functionText,
    payload,
    type,
    expectation,
    said: statement,
    matches: (project, labels, resource) =>
      resource.kind === functionFields[probed].kind && matches(project, labels, resource),
  }
}
