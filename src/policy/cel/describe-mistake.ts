import type { TypeError as CelTypeError, ParseError } from '@marcbachmann/cel-js'
import { didYouMean, type Mistake } from './inspect.ts'
import type { Language } from './language.ts'

/** Describes a mistake that cel-js found, in hookdrift's words and at its offset. */
export function describeMistake(error: ParseError | CelTypeError, language: Language): Mistake {
  const { code, summary, node, range } = error
  const start = range?.start ?? 0
  switch (code) {
    case 'no_such_key': {
      const name = summary.replace(/^No such key: /, '')
      return { offset: start, text: unknownField(name, node, language) }
    }
    case 'unknown_variable': {
      const name = summary.replace(/^Unknown variable: /, '')
      const known = language.variables.map((variable) => `\`${variable}\``).join(', ')
      const isElsewhere = ['endpoint', 'source', 'subscriptions'].includes(name)
      const nearest = isElsewhere ? '' : didYouMean(name, language.variables)
      return { offset: start, text: `there is no \`${name}\`${nearest === '' ? `, only ${known}` : nearest}` }
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
  const known = (type === undefined ? undefined : fields.get(type)) ?? []
  const of = type === undefined ? '' : ` of ${plain(type)}`
  const nearest = didYouMean(name, known)
  const all = nearest !== '' || known.length === 0 ? '' : `, expected one of ${known.join(', ')}`
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

function unknownCall(summary: string, { environment }: Language): string {
  const [, receiver, name = '', given = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? []
  const alike = environment
    .getDefinitions()
    .functions.filter(
      ({ receiverType, name: known }) => (receiverType !== null) === (receiver !== undefined) && !known.startsWith('_'),
    )
  const same = alike.filter((known) => known.name === name)
  if (same.length === 0) {
    const nearest = didYouMean(name, [...new Set(alike.map((known) => known.name))])
    return `there is no function \`${name}\`${nearest}`
  }
  const taken = [...new Set(same.map(({ params }) => `(${params.map(({ type }) => plain(type)).join(', ')})`))]
  const on = receiver === undefined ? '' : ` of ${plain(receiver)}`
  return `\`${name}\`${on} does not take (${plain(given)}), it takes ${taken.join(' or ')}`
}

function plain(text: string): string {
  return text
    .replaceAll('google.protobuf.', '')
    .replaceAll('Endpoint.', 'endpoint.')
    .replace(/\b(Endpoint|Subscription|Source|Device|Project|Probe)\b/g, (type) => type.toLowerCase())
    .replaceAll('ProjectScope', 'project')
}

function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
