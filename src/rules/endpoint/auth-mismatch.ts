import { isMasked } from '../../model/resource.ts'
import { type Authentication, lacks } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

const members = ['api_key', 'basic_auth', 'oauth2'] as const
type Member = (typeof members)[number]

export const authMismatch = resourceRule('endpoint', {
  id: 'endpoint/auth-mismatch',
  title: 'Authentication type does not match its settings',
  severity: 'high',
  packs: ['secrets'],
  acceptedWith: ['/authentication'],
  check({ attributes: { authentication } }) {
    if (authentication === null || authentication === undefined) return
    const type = authentication.type ?? ''
    const others = members.filter((member) => member !== type && isFilled(authentication, member))
    const isEmpty = isMember(type) && lacks(authentication, type)
    // What a type holds that the tool does not know is not for the tool to miss.
    if (!isEmpty && (others.length === 0 || (type !== '' && !isMember(type)))) return
    const held = others.map((member) => `\`${member}\``).join(' and ')
    const verb = others.length === 1 ? 'is' : 'are'
    const filled = others.length === 0 ? 'none of its settings is filled in' : `${held} ${verb} filled in`
    const also = others.length === 0 || type === '' ? '' : isEmpty ? ' instead' : ' as well'
    return {
      path: '/authentication/type',
      message: `the type is ${type === '' ? 'empty' : `\`${type}\``}, but ${filled}${also}`,
    }
  },
})

function isMember(type: string): type is Member {
  return members.some((member) => member === type)
}

/** A mask may hide an empty text. */
function isFilled(authentication: Authentication, member: Member): boolean {
  return Object.values(authentication[member] ?? {}).some((value) => !isMasked(value))
}
