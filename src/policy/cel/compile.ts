import type { ASTNode, TypeError as CelTypeError, Context, ParseError } from '@marcbachmann/cel-js'
import { patternFault } from '../../gateway/expressions.ts'
import type { Kind } from '../../model/resource.ts'
import { nearestName } from '../../model/text/nearest-name.ts'
import { cel, extensionFunctions, fieldsOf, type Language, otherVariables, spentCall } from './language.ts'

/** A compiled expression. */
export interface CompiledExpression {
  readonly uses: Uses
  /** @throws Error when the evaluation fails */
  evaluate(context: Context): unknown
}

interface CompileOptions {
  readonly language: Language
  readonly kind: Kind
  /** The type of its result, and how messages name it. */
  readonly types: readonly string[]
  readonly expected: string
  readonly isMessage?: boolean
}

const maxCharacters = 2000

/** Parses, checks and compiles an expression, or returns all mistakes in it. */
export function compile(
  text: string,
  wanted: CompileOptions,
): { readonly compiled: CompiledExpression } | { readonly mistakes: readonly Mistake[] } {
  const { language, isMessage = false } = wanted
  if (text.length > maxCharacters) {
    return { mistakes: [{ offset: 0, text: `an expression of more than ${maxCharacters} characters, the limit` }] }
  }
  try {
    const parsed = language.environment.parse(text)
    const { uses, mistakes } = inspect(parsed.ast, { isMessage, volatile: volatileFields(wanted.kind) })
    if (mistakes.length > 0) return { mistakes }
    const { valid, type = '', error } = parsed.check()
    if (!valid && error !== undefined) return { mistakes: [describeMistake(error, language)] }
    if (!wanted.types.includes(type)) {
      return { mistakes: [{ offset: 0, text: `the expression gives ${plainType(type)}, expected ${wanted.expected}` }] }
    }
    const program = programEnvironment(language).parse(guarded(parsed.ast))
    const { valid: isProgram, error: fault } = program.check()
    if (!isProgram) throw new Error(`an expression changed its type when it was guarded: ${fault?.message}`)
    return { compiled: { uses, evaluate: (context) => program(context) } }
  } catch (error) {
    const { ParseError, TypeError: CelTypeError } = cel()
    if (!(error instanceof ParseError || error instanceof CelTypeError)) throw error
    return { mistakes: [describeMistake(error, language)] }
  }
}

/** Members of the resource or a related one that change by themselves. */
export function volatileFields(kind: Kind): ReadonlySet<string> {
  const kinds: readonly Kind[] = 'endpoint' in otherVariables(kind) ? [kind, 'endpoint', 'source'] : [kind]
  return new Set(
    kinds.flatMap((each) =>
      Object.entries(fieldsOf(each)).flatMap(([name, { use }]) => (use === 'volatile' ? [name] : [])),
    ),
  )
}

/** A message with expressions in braces. */
export interface Template {
  readonly uses: readonly Uses[]
  /** `ask` evaluates one expression; an unknown result is shown as a question mark. */
  write(ask: (expression: CompiledExpression) => unknown): string
}

const messageTypes = ['string', 'int', 'double', 'bool', 'list<string>', 'dyn']
const longestMessage = 1000

/** `owner {resource.owner_id} is not a tenant`; `{{` and `}}` are braces. */
export function compileTemplate(
  text: string,
  wanted: Omit<CompileOptions, 'types' | 'expected'>,
): { readonly template: Template } | { readonly mistakes: readonly Mistake[] } {
  const mistakes: Mistake[] = []
  const parts: (string | CompiledExpression)[] = []
  const expected = 'a text, a number, true or false, or a list of texts'
  for (const { text: part, offset, isExpression } of partsOf(text)) {
    if (!isExpression) {
      if (/[{}]/.test(part.replaceAll('{{', '').replaceAll('}}', ''))) {
        const at = offset + part.search(/[{}]/)
        mistakes.push({ offset: at, text: 'an unmatched brace; write {{ or }} for a literal one' })
      }
      parts.push(part.replaceAll('{{', '{').replaceAll('}}', '}'))
      continue
    }
    const result = compile(part, { ...wanted, types: messageTypes, expected, isMessage: true })
    if ('compiled' in result) parts.push(result.compiled)
    else mistakes.push(...result.mistakes.map((mistake) => ({ ...mistake, offset: offset + mistake.offset })))
  }
  if (mistakes.length > 0) return { mistakes }
  return {
    template: {
      uses: parts.flatMap((part) => (typeof part === 'string' ? [] : [part.uses])),
      write(ask) {
        const written = parts.map((part) => (typeof part === 'string' ? part : textOf(ask(part)))).join('')
        const cut = written.length > longestMessage ? `${written.slice(0, longestMessage)}…` : written
        // No history keeps half of a character, so the message would be another one in each run.
        return cut.toWellFormed()
      },
    },
  }
}

/** A mistake in an expression; `offset` from its start, in UTF-16 units. */
export interface Mistake {
  readonly offset: number
  readonly text: string
}

/** The members that an expression reads of each variable, or all of it. */
export type Uses = ReadonlyMap<string, ReadonlySet<string> | 'all'>

interface Inspection {
  readonly uses: Uses
  readonly mistakes: readonly Mistake[]
}

interface InspectOptions {
  /** A message stays the same while nothing changes, so it may contain nothing that changes by itself. */
  readonly isMessage: boolean
  readonly volatile: ReadonlySet<string>
}

const maxMacroDepth = 2
const timed = new Set(extensionFunctions.filter(({ isTimed }) => isTimed).map(({ signature }) => nameIn(signature)))

/** Walks an expression once: refuses parts of the language that hookdrift does not offer, and collects the reads. */
function inspect(root: ASTNode, options: InspectOptions): Inspection {
  const uses = new Map<string, Set<string> | 'all'>()
  const mistakes: Mistake[] = []
  const refuse = ({ start }: ASTNode, text: string) => mistakes.push({ offset: start, text })

  const use = (variable: string, member: string | undefined) => {
    const members = uses.get(variable)
    if (member === undefined || members === 'all') uses.set(variable, 'all')
    else uses.set(variable, (members ?? new Set<string>()).add(member))
  }

  const visit = (node: ASTNode, macroDepth: number) => {
    const within = macroDepth + (isMacro(node) ? 1 : 0)
    if (isMacro(node) && within > maxMacroDepth) {
      refuse(node, `macros such as \`exists\` are nested more than ${maxMacroDepth} deep, the limit`)
      return
    }
    if (node.op === 'id') use(node.args, undefined)
    const read = memberRead(node)
    if (read !== undefined) {
      use(read.variable, read.member)
      if (options.isMessage && read.member === undefined)
        refuse(node, 'in a message, fields are named and not worked out')
      if (options.isMessage && isResource(read.variable) && options.volatile.has(read.member ?? '')) {
        refuse(node, `\`${read.member}\` changes by itself: a message must say the same as long as nothing changes`)
      }
      if (read.member !== undefined) return
    }
    if (node.op === 'call') checkCall(node, refuse, options)
    if (node.op === 'rcall') checkMethod(node, refuse)
    for (const child of childrenOf(node)) visit(child, within)
  }
  visit(root, 0)
  return { uses, mistakes }
}

export function nameIn(signature: string): string {
  return signature.slice(0, signature.indexOf('('))
}

/**
 * Rewrites an expression so that each round of each macro counts a step and ends when none is left. The language has no
 * such limit.
 */
export function guarded(node: ASTNode): string {
  switch (node.op) {
    case 'value':
      return literal(node)
    case 'id':
      return cel().serialize(node)
    case '.':
      return `${guarded(node.args[0])}.${node.args[1]}`
    case '[]':
      return `${guarded(node.args[0])}[${guarded(node.args[1])}]`
    case 'call':
      return `${node.args[0]}(${node.args[1].map(guarded).join(', ')})`
    case 'rcall':
      return isMacro(node) ? guardedMacro(node) : methodCall(node, node.args[2].map(guarded))
    case 'list':
      return `[${node.args.map(guarded).join(', ')}]`
    case 'map':
      return `{${node.args.map(([key, value]) => `${guarded(key)}: ${guarded(value)}`).join(', ')}}`
    case '?:': {
      const [condition, one, other] = node.args
      return `(${guarded(condition)} ? ${guarded(one)} : ${guarded(other)})`
    }
    case '!_':
      return `!(${guarded(node.args)})`
    case '-_':
      return `-(${guarded(node.args)})`
    case '.?':
    case '[?]':
      throw new Error('optional access is off')
    default:
      return `(${guarded(node.args[0])} ${node.op} ${guarded(node.args[1])})`
  }
}

/** cel-js itself writes half of a character where it takes two units, cuts small numbers to 0, and writes `1e+21.0`. */
function literal(node: ASTNode & { op: 'value' }): string {
  const { args } = node
  if (typeof args === 'string') return JSON.stringify(args)
  if (typeof args !== 'number') return cel().serialize(node)
  const digits = String(args)
  return /[.e]/.test(digits) ? digits : `${digits}.0`
}

/** Describes a mistake that cel-js found, in hookdrift's words and at its offset. */
function describeMistake(error: ParseError | CelTypeError, language: Language): Mistake {
  const { code, summary, node, range } = error
  const start = range?.start ?? 0
  switch (code) {
    case 'no_such_key': {
      const name = summary.replace(/^No such key: /, '')
      return { offset: start, text: unknownField(name, node, language) }
    }
    case 'unknown_variable': {
      const name = summary.replace(/^Unknown variable: /, '')
      const variables = language.variables.map((variable) => `\`${variable}\``).join(', ')
      const isElsewhere = ['endpoint', 'source', 'subscriptions'].includes(name)
      const nearest = isElsewhere ? '' : didYouMean(name, language.variables)
      return { offset: start, text: `there is no \`${name}\`${nearest === '' ? `, only ${variables}` : nearest}` }
    }
    case 'no_matching_overload':
      return { offset: start, text: unknownCall(summary, language) }
    case 'no_such_overload': {
      const [, operation = summary] = /^no such overload: (.*)$/.exec(summary) ?? []
      const hint = /\bSecret\b/.test(operation) ? '; a secret can be asked with isSet, minLength, sealedEqual …' : ''
      return { offset: start, text: `there is no operator for \`${plain(operation)}\`${hint}` }
    }
    case 'limit_exceeded':
      return { offset: start, text: `the expression is too large: ${uncapitalised(summary)}` }
    case 'unexpected_character':
      return { offset: start, text: `${uncapitalised(summary)}${summary.endsWith(': =') ? '; equal is ==' : ''}` }
    default:
      if (summary.endsWith('EOF')) return { offset: start, text: 'the expression ends too early' }
      return { offset: start, text: plain(uncapitalised(summary)) }
  }
}

function unknownField(name: string, node: unknown, { fields }: Language): string {
  const type = typeBefore(node)
  const fieldNames = (type === undefined ? undefined : fields.get(type)) ?? []
  const of = type === undefined ? '' : ` of ${plain(type)}`
  const nearest = didYouMean(name, fieldNames)
  const all = nearest !== '' || fieldNames.length === 0 ? '' : `, expected one of ${fieldNames.join(', ')}`
  return `there is no field \`${name}\`${of}${nearest}${all}`
}

/** The type before the dot. The checker stores it in the tree, but its types do not declare it. */
function typeBefore(node: unknown): string | undefined {
  const before = memberOf(memberOf(node, 'args'), '0')
  const name = memberOf(memberOf(before, 'checkedType'), 'name')
  return typeof name === 'string' ? name : undefined
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function plain(text: string): string {
  return text
    .replaceAll('google.protobuf.', '')
    .replaceAll('Endpoint.', 'endpoint.')
    .replace(/\b(Endpoint|Subscription|Source|Device|Project|Probe)\b/g, (type) => type.toLowerCase())
    .replaceAll('ProjectScope', 'project')
}

function didYouMean(name: string, names: readonly string[]): string {
  const longer = name.length < 3 ? [] : names.filter((each) => each.startsWith(name) || each.endsWith(`_${name}`))
  const nearest = nearestName(name, names) ?? (longer.length === 1 ? longer[0] : undefined)
  return nearest === undefined ? '' : `, did you mean \`${nearest}\`?`
}

function unknownCall(summary: string, { environment }: Language): string {
  const [, receiver, name = '', given = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? []
  const alike = environment
    .getDefinitions()
    .functions.filter(
      ({ receiverType, name: functionName }) =>
        (receiverType !== null) === (receiver !== undefined) && !functionName.startsWith('_'),
    )
  const same = alike.filter((definition) => definition.name === name)
  if (same.length === 0) {
    const nearest = didYouMean(name, [...new Set(alike.map((definition) => definition.name))])
    return `there is no function \`${name}\`${nearest}`
  }
  const taken = [...new Set(same.map(({ params }) => `(${params.map(({ type }) => plain(type)).join(', ')})`))]
  const on = receiver === undefined ? '' : ` of ${plain(receiver)}`
  return `\`${name}\`${on} does not take (${plain(given)}), it takes ${taken.join(' or ')}`
}

function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function plainType(type: string): string {
  return type === 'Secret' ? 'a secret' : `\`${type}\``
}

const programs = new WeakMap<Language, Language['environment']>()

/** Without the limits for users' expressions: guards and brackets make them longer. */
function programEnvironment(language: Language): Language['environment'] {
  const environment =
    programs.get(language) ?? language.environment.clone({ limits: { maxAstNodes: 100_000, maxDepth: 1000 } })
  programs.set(language, environment)
  return environment
}

interface Part {
  readonly text: string
  readonly offset: number
  readonly isExpression: boolean
}

/** Splits a message into text and expressions; braces and quotes within an expression belong to it. */
function* partsOf(text: string): Generator<Part> {
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith('{{', at) || text.startsWith('}}', at)) {
      at++
      continue
    }
    if (text[at] !== '{') continue
    const end = endOfExpression(text, at + 1)
    if (end === undefined) continue
    yield { text: text.slice(from, at), offset: from, isExpression: false }
    yield { text: text.slice(at + 1, end), offset: at + 1, isExpression: true }
    from = end + 1
    at = end
  }
  yield { text: text.slice(from), offset: from, isExpression: false }
}

function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0
  let quote: string | undefined
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (quote !== undefined) {
      if (character === '\\') at++
      else if (character === quote) quote = undefined
    } else if (character === '"' || character === "'") quote = character
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return at
  }
  return undefined
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' || value === undefined ? '?' : String(value)
}

const quantifiers = new Set(['all', 'exists', 'exists_one', 'filter'])

/** Macros by name and number of arguments, as the parser names them. */
function isMacro(node: ASTNode): node is ASTNode & { op: 'rcall' } {
  if (node.op !== 'rcall') return false
  const [name, , { length }] = node.args
  return name === 'map' ? length === 2 || length === 3 : length === 2 && quantifiers.has(name)
}

/** `resource.name`, `resource['name']`; without a member where it is computed. */
function memberRead(node: ASTNode): { readonly variable: string; readonly member: string | undefined } | undefined {
  if ((node.op !== '.' && node.op !== '[]') || node.args[0].op !== 'id') return undefined
  const variable = node.args[0].args
  if (node.op === '.') return { variable, member: node.args[1] }
  const index = node.args[1]
  return { variable, member: index.op === 'value' && typeof index.args === 'string' ? index.args : undefined }
}

function isResource(variable: string): boolean {
  return variable === 'resource' || variable === 'endpoint' || variable === 'source'
}

type Refuse = (node: ASTNode, text: string) => void

function checkCall(node: ASTNode & { op: 'call' }, refuse: Refuse, { isMessage }: InspectOptions): void {
  const [name, args] = node.args
  if (name === 'has') {
    refuse(node, "`has` is not offered: no field is ever missing; compare it with what is empty, or write 'key' in …")
  }
  if (name === spentCall) refuse(node, `there is no function \`${name}\``)
  if (isMessage && timed.has(name)) {
    refuse(node, `\`${name}\` changes with time: a message must say the same as long as nothing changes`)
  }
  if (name !== 're' || args.length !== 2) return
  const pattern = args[1]
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    refuse(pattern ?? node, 'the pattern of `re` must be written out, so that it can be checked')
    return
  }
  const fault = patternFault(pattern.args)
  if (fault !== undefined) refuse(pattern, `not a regular expression of RE2: ${fault}`)
}

const refusedMethods: Readonly<Record<string, string>> = {
  matches: '`matches` is not offered: it can take exponential time; write re(text, pattern)',
  json: '`json` is not offered',
}

function checkMethod(node: ASTNode & { op: 'rcall' }, refuse: Refuse): void {
  const [name, receiver] = node.args
  const refused = Object.hasOwn(refusedMethods, name) ? refusedMethods[name] : undefined
  if (refused !== undefined) refuse(node, refused)
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') refuse(node, '`cel.bind` is not offered')
}

/** The nodes directly below one. */
function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return []
    case '.':
    case '.?':
      return [node.args[0]]
    case 'call':
      return node.args[1]
    case 'rcall':
      return [node.args[1], ...node.args[2]]
    case 'map':
      return node.args.flat()
    case '!_':
    case '-_':
      return [node.args]
    default:
      return node.args
  }
}

function guardedMacro(node: ASTNode & { op: 'rcall' }): string {
  const [name, , [variable, ...rest]] = node.args
  const [first = '', second] = rest.map(guarded)
  const over = variable === undefined ? '' : guarded(variable)
  // The result that ends each macro's loop soonest. The evaluation as a whole then fails.
  if (name === 'map' && second === undefined) return methodCall(node, [over, `!${spentCall}()`, first])
  const onTheWayOut = name === 'exists' ? 'true' : 'false'
  return methodCall(node, [over, `(${spentCall}() ? ${onTheWayOut} : ${first})`, ...(second ? [second] : [])])
}

function methodCall(node: ASTNode & { op: 'rcall' }, args: readonly string[]): string {
  return `${guarded(node.args[1])}.${node.args[0]}(${args.join(', ')})`
}
