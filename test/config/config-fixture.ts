// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration

import type { Configuration } from '../../src/config/configuration.ts'
import type { ReferenceSources } from '../../src/config/expand-references.ts'
import { type ConfigurationOptions, readConfiguration } from '../../src/config/read-configuration.ts'
import { AuditError } from '../../src/model/errors.ts'

export const file = '/etc/hookdrift/hookdrift.yaml'

/** The sources of one configuration, and other files that a test needs. */
export function referenceSources(
  text: string,
  { env = {}, files = {} }: { env?: ReferenceSources['env']; files?: Files } = {},
): ReferenceSources {
  const all: Files = { [file]: text, ...files }
  return {
    env,
    readFile(path) {
      const found = all[path]
      if (found === undefined) throw Object.assign(new Error(`ENOENT, open '${path}'`), { code: 'ENOENT' })
      return found
    },
  }
}

type Files = Readonly<Record<string, string>>

export const acmeEnv = { ACME_KEY: 'not-a-real-key' }

export function configure(
  text: string,
  sources: Parameters<typeof referenceSources>[1] = {},
  options: ConfigurationOptions = {},
) {
  return readConfiguration(file, referenceSources(text, { env: acmeEnv, ...sources }), options)
}

/** One service, its members laid over the smallest that will do; JSON is YAML. */
export function withService(members: object, top: object = {}): string {
  const projects = [{ id: 'p1' }]
  const service = { name: 'acme', url: 'https://hooks.example.com', key: '${ACME_KEY}', projects, ...members }
  return JSON.stringify({ ...top, services: [service] })
}

export function firstService({ services: [service] }: Configuration) {
  if (service === undefined) throw new Error('a configuration without a service')
  return service
}

/** The lines of a refusal, without the file's name. */
export function refusal(
  text: string,
  sources: Parameters<typeof referenceSources>[1] = {},
  options: ConfigurationOptions = {},
): readonly string[] {
  try {
    configure(text, sources, options)
  } catch (thrown) {
    if (!(thrown instanceof AuditError) || thrown.kind !== 'usage') throw thrown
    return thrown.message.split('\n').map((line) => line.replace(`${file}:`, ''))
  }
  return []
}
