import type { Owner } from '../../scripts/release/owner.ts'

/** What an owner could have filled in. */
export const filled: Owner = {
  repository: 'https://github.com/acme/hookdrift',
  homepage: 'https://hookdrift.acme.example',
  bugs: 'https://github.com/acme/hookdrift/issues',
  codeowners: '@acme/webhooks',
  image: 'ghcr.io/acme/hookdrift',
  schemas: 'https://hookdrift.acme.example/schemas',
}
