import { z } from 'zod'
import type { Expand, NodePath } from '../yaml/node-values.ts'
import { problemLines } from '../yaml/problem.ts'
import type { ServeSettings } from './configuration.ts'
import { configurationSchema, isServeSecret, secretPlaceholder } from './configuration-schema.ts'
import { expandReferences, type ReferenceSources } from './expand-references.ts'
import { findServeWarnings } from './find-warnings.ts'
import { readMembers } from './read-members.ts'
import { type DecodedServe, isLoopback, type ListenAddress, listenAddress, readNetwork } from './serve-schema.ts'

const selection = z.looseObject({ serve: configurationSchema.shape.serve })

/**
 * Reads who may read the pages, for `hookdrift serve`. References outside of `serve` may be unresolvable, as those of
 * keys are where nothing is audited; what else is in the file is not read.
 * @throws AuditError.usage when the file cannot be read, or with a line for every mistake in `serve`
 */
export function readServe(
  file: string,
  sources: ReferenceSources,
): { readonly settings: ServeSettings; readonly warnings: readonly string[] } {
  const expand = expandReferences(file, sources)
  const document = readMembers(file, sources, {
    schema: selection,
    expand: (written, path) => (path[0] === 'serve' ? expand(written, path) : { text: written }),
  })
  return { settings: serveSettingsOf(document.value.serve), warnings: problemLines([...findServeWarnings(document)]) }
}

/** Whether everyone who reaches an address could read the pages there. */
export function isOpenToAll({ host }: ListenAddress, { tokens, trustedProxy }: ServeSettings): boolean {
  return !isLoopback(host) && tokens.length === 0 && trustedProxy === undefined
}

export function serveSettingsOf(serve: DecodedServe = {}): ServeSettings {
  const { listen, hosts, token, tokens = [], trusted_proxy: proxy } = serve
  return {
    listen: listen === undefined ? undefined : listenAddress(listen),
    hosts,
    tokens: [
      ...(token === undefined ? [] : [{ name: undefined, token, projects: undefined }]),
      ...tokens.map(({ name, token, projects, may }) => ({ name, token, projects, may })),
    ],
    trustedProxy: proxy && {
      header: proxy.header.toLowerCase(),
      networks: proxy.addresses.flatMap((text) => readNetwork(text) ?? []),
    },
  }
}

/** Which tokens of readers must be there: none, those of the pages that a worker serves, or all in the file. */
export type NeededTokens = 'none' | 'of-worker' | 'all'

/** Lets tokens be missing, each noted with the reason. */
export function notingTokens(expand: Expand): {
  readonly expand: Expand
  readonly missing: readonly { readonly path: NodePath; readonly text: string }[]
} {
  const missing: { path: NodePath; text: string }[] = []
  return {
    missing,
    expand(written, path) {
      const expanded = expand(written, path)
      if (!isServeSecret(path)) return expanded
      const problem = 'problem' in expanded ? expanded.problem : 'the token is empty'
      if ('text' in expanded && expanded.text !== '') return expanded
      missing.push({ path, text: problem })
      return { text: secretPlaceholder(path) }
    },
  }
}
