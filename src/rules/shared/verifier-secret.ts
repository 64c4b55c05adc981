import type { Verifier } from '../engine/attributes.ts'

/** The secret by which a source knows its senders, sealed, and its path. */
export interface VerifierSecret {
  readonly what: string
  readonly path: string
  readonly seal: string
}

/** Of the members that the type does not ask for, none counts. */
export function verifierSecretOf(verifier: Verifier | null | undefined): VerifierSecret | undefined {
  switch (verifier?.type) {
    case 'hmac':
      return secretAt('HMAC secret', '/verifier/hmac/secret', verifier.hmac?.secret)
    case 'basic_auth':
      return secretAt('password', '/verifier/basic_auth/password', verifier.basic_auth?.password)
    case 'api_key':
      return secretAt('API key', '/verifier/api_key/header_value', verifier.api_key?.header_value)
    default:
      return undefined
  }
}

function secretAt(what: string, path: string, seal: string | undefined): VerifierSecret | undefined {
  return typeof seal === 'string' ? { what, path, seal } : undefined
}
