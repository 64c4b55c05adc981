import { createRequire } from 'node:module'
import type { AnyNode, Comment, Options } from 'acorn'
import { isHarmless } from '../../model/secrets/harmless-text.ts'
import { holdsCredential, isSecretName } from '../../model/secrets/known-secrets.ts'
import { isRandomText } from '../../model/secrets/random-text.ts'
import { isUrl, sealUnlessPlainUrl } from './seal-text.ts'
import { isMask, isSeal, type Sealer } from './sealer.ts'

/**
 * Seals every literal and comment of a program but harmless ones: short words, event types, names of members, numbers
 * of up to three digits. Structure and identifiers stay readable, so that a change of the program can be understood. A
 * text that is not JavaScript is sealed whole.
 */
export function sealCode(program: string, sealer: Sealer): string {
  if (program.trim() === '' || isSeal(program)) return program
  if (program.length > longestProgram || isOneRandomWord(program)) return sealer.seal(program)
  const earlier = sealed.get(sealer)?.get(program)
  if (earlier !== undefined) return earlier
  const result = sealLiterals(program, sealer)
  remember(program, result, sealer)
  return result
}

export interface Literal {
  readonly type: 'string' | 'template' | 'number' | 'regexp' | 'line comment' | 'block comment' | 'other comment'
  /** UTF-16 code units, with quotes and comment signs; of a template, one part of its text. */
  readonly from: number
  readonly to: number
  /** Whether the program assigns it to, compares it with, or passes it next to something with a secret's name. */
  readonly isGivenToSecret: boolean
}

export interface Literals {
  /** In the program's order, without overlaps. */
  readonly literals: readonly Literal[]
  /** All identifiers. */
  readonly names: readonly string[]
}

/** Finds the literals, comments and names of a program; undefined for a text that is not JavaScript. */
export function findLiterals(program: string): Literals | undefined {
  const comments: Comment[] = []
  const root = parse(program, comments)
  if (root === undefined) return undefined
  const names: string[] = []
  const literals = comments.map((comment) => ofComment(comment, program))
  try {
    visit(root, false, { literals, names, mentions: new Map() })
  } catch (error) {
    // Nested too deeply to walk.
    if (error instanceof RangeError) return undefined
    throw error
  }
  return { literals: literals.sort((a, b) => a.from - b.from), names }
}

/** A longer program is sealed whole. In UTF-16 code units. */
const longestProgram = 512 * 1024

/** A key in place of a function parses as a name, or as a sum of names. */
function isOneRandomWord(program: string): boolean {
  const word = program.trim()
  if (word.length > 255 || !/^[\w$.+/~-]{1,255}$/.test(word)) return false
  return isRandomText(word) || (/[.+/~-]/.test(word) && !isHarmless(word))
}

function sealLiterals(program: string, sealer: Sealer): string {
  const parsed = findLiterals(program)
  if (parsed === undefined || parsed.names.some(isSecretItself)) return sealer.seal(program)
  const out: string[] = []
  let at = 0
  for (const literal of parsed.literals) {
    const text = program.slice(literal.from, literal.to)
    const replaced = sealLiteral(literal, text, sealer)
    if (replaced === text) continue
    out.push(program.slice(at, literal.from), replaced)
    at = literal.to
  }
  return at === 0 ? program : out.join('') + program.slice(at)
}

/** The replacement is a literal of the language too, which the next run recognises and leaves alone. */
function sealLiteral({ type, isGivenToSecret }: Literal, text: string, sealer: Sealer): string {
  switch (type) {
    case 'string':
      return quote(text, sealText(text.slice(1, -1), isGivenToSecret, sealer))
    case 'template':
      return sealText(text, isGivenToSecret, sealer)
    case 'number':
      return isGivenToSecret || digitsOf(text) > 3 ? `'${sealer.seal(text)}'` : text
    case 'regexp':
      return isGivenToSecret || !isHarmless(text) ? `'${sealer.seal(text)}'` : text
    case 'line comment':
      return `//${sealComment(text.slice(2), sealer).trimEnd()}`
    case 'block comment':
      return `/*${sealComment(text.slice(2, -2), sealer)}*/`
    case 'other comment':
      return isHarmless(text) ? text : `// ${sealer.seal(text)}`
  }
}

function quote(text: string, inside: string): string {
  return text.charAt(0) + inside + text.charAt(0)
}

function sealText(text: string, isGivenToSecret: boolean, sealer: Sealer): string {
  // A program writes a mask itself: no service masked it.
  if (isSeal(text) || isMask(text) || text.trim() === '') return text
  if (isGivenToSecret) return isConvention(text) ? text : sealer.seal(text)
  if (isUrl(text)) return sealUnlessPlainUrl(text, sealer)
  return isHarmless(text) ? text : sealer.seal(text)
}

/** Harmless texts that programs use together with secrets: algorithms, encodings, names of types and headers, a sign. */
function isConvention(text: string): boolean {
  return /^(?:[^A-Za-z0-9]|sha-?\d{1,3}|sha3-\d{3}|md5|hex|base64|base64url|utf-?8|ascii|latin1|binary|string|number|object|undefined|boolean|function|hmac|bearer |basic |[xX]-[A-Za-z-]{2,40}|authorization)$/i.test(
    text,
  )
}

function sealComment(text: string, sealer: Sealer): string {
  const words = text.trim()
  if (words === '' || isSeal(words) || (isHarmless(words) && !isSecretName(words))) return text
  return ` ${sealer.seal(words)} `
}

function digitsOf(text: string): number {
  return text.replace(/[^0-9a-f]/gi, '').length
}

/** A name that is a secret cannot be replaced: it may be used anywhere. Random ones have a digit. */
function isSecretItself(name: string): boolean {
  return (/\d/.test(name) && isRandomText(name)) || holdsCredential(name)
}

/** Many resources share functions, and reading one takes longer than all the rest of a resource. */
const sealed = new WeakMap<Sealer, Map<string, string>>()
const mostRemembered = 256
const longestRemembered = 16 * 1024

function remember(program: string, result: string, sealer: Sealer): void {
  if (program.length > longestRemembered) return
  const sealedPrograms = sealed.get(sealer) ?? new Map<string, string>()
  if (sealedPrograms.size >= mostRemembered) sealedPrograms.clear()
  sealed.set(sealer, sealedPrograms.set(program, result))
}

const options: Options = {
  ecmaVersion: 'latest',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
}

/** Loaded for the first function: an audit without functions starts sooner. */
let acorn: typeof import('acorn') | undefined

/** As a script, as an expression (`function (payload) { … }`), or as a module. */
function parse(program: string, comments: Comment[]): AnyNode | undefined {
  acorn ??= createRequire(import.meta.url)('acorn') as typeof import('acorn')
  const { parse: parseProgram, parseExpressionAt } = acorn
  const attempts: (() => AnyNode)[] = [
    () => parseProgram(program, { ...options, onComment: comments }),
    () => wholeExpression(parseExpressionAt(program, 0, { ...options, onComment: comments }), program),
    () => parseProgram(program, { ...options, sourceType: 'module', onComment: comments }),
  ]
  for (const attempt of attempts) {
    comments.length = 0
    try {
      return attempt()
    } catch {
      // A syntax error, or brackets nested deeper than the stack.
    }
  }
  return undefined
}

function wholeExpression(node: AnyNode, program: string): AnyNode {
  if (/^[\s;]*$/.test(program.slice(node.end))) return node
  throw new SyntaxError('something follows the expression')
}

function ofComment({ type, start, end }: Comment, program: string): Literal {
  const opening = program.slice(start, start + 2)
  const named = type === 'Block' ? 'block comment' : opening === '//' ? 'line comment' : 'other comment'
  return { type: named, from: start, to: end, isGivenToSecret: false }
}

interface VisitedCode {
  readonly literals: Literal[]
  readonly names: string[]
  /** Results for nodes visited before: without them, chains of operators would be walked once per link. */
  readonly mentions: Map<AnyNode, boolean>
}

/** `isSecret`: whether an enclosing node says that its contents are secret. */
function visit(node: AnyNode, isSecret: boolean, visited: VisitedCode): void {
  const literal = literalOf(node, isSecret)
  if (literal !== undefined) {
    visited.literals.push(literal)
    return
  }
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') {
    visited.names.push(node.name)
    return
  }
  const within = isSecret || namesSecret(node, visited.mentions)
  const callee = calleeOfSecret(node, visited.mentions)
  for (const child of childrenOf(node)) {
    const isCompared = callee !== undefined && child !== callee && !isNumber(child)
    // A function with a secret's name (`verifyToken`) is not a secret.
    visit(child, (within || isCompared) && !(isFunction(child) && !isSecret), visited)
  }
}

function literalOf(node: AnyNode, isGivenToSecret: boolean): Literal | undefined {
  const span = { from: node.start, to: node.end, isGivenToSecret }
  if (node.type === 'TemplateElement') return { type: 'template', ...span }
  if (node.type !== 'Literal') return undefined
  if ('regex' in node && node.regex != null) return { type: 'regexp', ...span }
  if (typeof node.value === 'string') return { type: 'string', ...span }
  const isNumber = typeof node.value === 'number' || node.bigint != null
  return isNumber ? { type: 'number', ...span } : undefined
}

/** Of a call of a secret's method (`token.startsWith('x')`): a text that is given to it may be the secret. */
function calleeOfSecret(node: AnyNode, mentions: VisitedCode['mentions']): AnyNode | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  return mentionsSecret(node.callee.object, mentions) ? node.callee : undefined
}

/** `token.slice(7)` */
function isNumber(node: AnyNode): boolean {
  return node.type === 'Literal' && typeof node.value === 'number'
}

function isFunction({ type }: AnyNode): boolean {
  return type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** Whether a node sets, compares or passes something by a secret's name; then all its contents count as secret. */
function namesSecret(node: AnyNode, mentions: VisitedCode['mentions']): boolean {
  const says = (part: AnyNode) => mentionsSecret(part, mentions)
  switch (node.type) {
    case 'VariableDeclarator':
      return says(node.id)
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'LogicalExpression':
      return says(node.left) || (node.type.endsWith('Expression') && says(node.right))
    case 'BinaryExpression':
      // A text joined to a secret is harmless; a text compared with it may be the secret.
      return node.operator !== '+' && (says(node.left) || says(node.right))
    case 'Property':
    case 'PropertyDefinition':
      return says(node.key)
    case 'SwitchStatement':
      return says(node.discriminant)
    case 'CallExpression':
    case 'NewExpression':
      return isSecretCall(node.callee) || node.arguments.some(says)
    default:
      return false
  }
}

function mentionsSecret(node: AnyNode, mentions: VisitedCode['mentions']): boolean {
  const mention = mentions.get(node)
  if (mention !== undefined) return mention
  const answer = saysSecret(node, (part) => mentionsSecret(part, mentions))
  mentions.set(node, answer)
  return answer
}

/** Names, members, literals that are names, and expressions of these; not functions or values of objects. */
function saysSecret(node: AnyNode, says: (part: AnyNode) => boolean): boolean {
  switch (node.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
      return isSecretName(node.name)
    case 'Literal':
      return typeof node.value === 'string' && node.value.length <= 64 && isSecretName(node.value)
    case 'MemberExpression':
      return says(node.property) || says(node.object)
    case 'Property':
      return says(node.key)
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'ObjectExpression':
      return false
    default:
      return childrenOf(node).some(says)
  }
}

/** Calls whose arguments are keys, or texts to protect. */
function isSecretCall(callee: AnyNode): boolean {
  const name = callee.type === 'MemberExpression' ? callee.property : callee
  if (name.type !== 'Identifier') return false
  return /hmac|sign|cipher|crypt|btoa|atob|timingsafe|auth|passw|secret|pbkdf|hkdf/i.test(name.name)
}

function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = []
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
