/** Senders whose way of signing the service knows by itself. */
const knownProviders = new Set(['github', 'shopify', 'twitter'])

export function isKnownProvider(provider: string | null | undefined): provider is string {
  return typeof provider === 'string' && knownProviders.has(provider.toLowerCase())
}
