import type { ASTNode } from '@marcbachmann/cel-js'
import { patternFault } from '../../rules/shared/re2.ts'
import { nearestName } from '../../text/nearest-name.ts'
import { ownFunctions } from './functions.ts'
import { spentCall } from './language.ts'

/** A mistake in an expression; `offset` from its start, in UTF-16 units. */
export interface Mistake {
  readonly offset: number
  readonly text: string
}

/** The members that an expression reads of each variable, or all of it. */
export type Uses = ReadonlyMap<string, ReadonlySet<string> | 'all'>

export interface Inspection {
  readonly uses: Uses
  readonly mistakes: readonly Mistake[]
}

export interface InspectOptions {
  /** A message stays the same while nothing changes, so it may contain nothing that changes by itself. */
  readonly isMessage: boolean
  readonly volatile: ReadonlySet<string>
}

const maxMacroDepth = 2
const timed = new Set(ownFunctions.filter(({ isTimed }) => isTimed).map(({ signature }) => nameIn(signature)))

/** Walks an expression once: refuses parts of the language that hookdrift does not offer, and collects the reads. */
export function inspect(root: ASTNode, options: InspectOptions): Inspection {
  const uses = new Map<string, Set<string> | 'all'>()
  const mistakes: Mistake[] = []
  const refuse = ({ start }: ASTNode, text: string) => mistakes.push({ offset: start, text })

  const use = (variable: string, member: string | undefined) => {
    const known = uses.get(variable)
    if (member === undefined || known === 'all') uses.set(variable, 'all')
    else uses.set(variable, (known ?? new Set<string>()).add(member))
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

type Refuse = (node: ASTNode, text: string) => void

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

/** Macros by name and number of arguments, as the parser names them. */
export function isMacro(node: ASTNode): node is ASTNode & { op: 'rcall' } {
  if (node.op !== 'rcall') return false
  const [name, , { length }] = node.args
  return name === 'map' ? length === 2 || length === 3 : length === 2 && quantifiers.has(name)
}

const quantifiers = new Set(['all', 'exists', 'exists_one', 'filter'])

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

export function nameIn(signature: string): string {
  return signature.slice(0, signature.indexOf('('))
}

export function didYouMean(name: string, known: readonly string[]): string {
  const longer = name.length < 3 ? [] : known.filter((each) => each.startsWith(name) || each.endsWith(`_${name}`))
  const nearest = nearestName(name, known) ?? (longer.length === 1 ? longer[0] : undefined)
  return nearest === undefined ? '' : `, did you mean \`${nearest}\`?`
}
