import { STATUS_CODES } from 'node:http'
import { credentials } from '../../model/secrets/known-secrets.ts'
import { foreignText } from './foreign-text.ts'
import { failure, type HttpFailure } from './reply.ts'

/** `502 bad gateway`. */
export function nameOf(status: number): string {
  const name = STATUS_CODES[status]
  return name === undefined ? String(status) : `${status} ${name.toLowerCase()}`
}

/** A part of a head in a message. */
export function headText(text: string, key: string): string {
  return foreignText(text, key).replace(credentials, '[credential]')
}

/**
 * The failure of an answer without the form of the service's own: a proxy, a firewall, a login or a mesh in front of it
 * gave it, so it says nothing of the key. `what`: the answer in words. `proxyVariable`: names the proxy that the request
 * went through.
 */
export function answeredInFront(
  status: number,
  what: string,
  proxyVariable: string | undefined,
  details: Partial<HttpFailure> = {},
): HttpFailure {
  const proxy = proxyVariable === undefined ? '' : `the proxy that ${proxyVariable} names, or `
  const hint = `${proxy}something in front of the service ${doing(status)}`
  return failure('in_front', what, { hint, again: againAfter(status), ...details })
}

function doing(status: number): string {
  if (status < 400) return 'sends elsewhere, such as to a login'
  if (status === 401 || status === 407) return 'asks for a login of its own'
  return status < 500 ? 'refuses this request' : 'answers in its place'
}

/** The failure of a proxy that opened no tunnel, or asked for a password. `variable`: names the proxy. */
export function refusedByProxy(status: number, variable: string | undefined): HttpFailure {
  const proxy = variable === undefined ? 'the proxy' : `the proxy that ${variable} names`
  return failure('in_front', `${proxy} answered ${nameOf(status)}`, {
    hint: describeRefusal(status, variable),
    again: againAfter(status),
    surelyNotRun: true,
  })
}

function describeRefusal(status: number, variable = 'its URL'): string {
  if (status === 407)
    return `it asks for a user and a password, or refuses those in ${variable}: http://USER:PASSWORD@HOST:PORT`
  return status < 500 ? 'it may not be used for this host' : 'it does not reach the service'
}

function againAfter(status: number): HttpFailure['again'] {
  return status < 500 ? 'never' : 'later'
}
