/** What OpenTelemetry knows as signals, and hookdrift sends. */
export const signals = ['traces', 'metrics'] as const
export type Signal = (typeof signals)[number]

type Environment = Readonly<Record<string, string | undefined>>

/** The signals that the environment asks for, in the variables that every SDK of OpenTelemetry reads. */
export function wantedSignals(env: Environment): readonly Signal[] {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return []
  return signals.filter((signal) => {
    const name = signal.toUpperCase()
    const endpoint = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`] || env.OTEL_EXPORTER_OTLP_ENDPOINT
    return Boolean(endpoint?.trim()) && env[`OTEL_${name}_EXPORTER`]?.trim() !== 'none'
  })
}

/** Why a signal cannot be sent as the environment asks; undefined when it can. */
export function faultOfSettings(signal: Signal, env: Environment): string | undefined {
  const name = signal.toUpperCase()
  const protocol = env[`OTEL_EXPORTER_OTLP_${name}_PROTOCOL`] || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json'
  if (!protocol.startsWith('http/'))
    return 'hookdrift sends OTLP over HTTP alone: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json'
  const ownVariable = `OTEL_EXPORTER_OTLP_${name}_ENDPOINT`
  const variable = env[ownVariable] ? ownVariable : 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const endpoint = URL.parse(env[variable] ?? '')
  return endpoint?.protocol === 'http:' || endpoint?.protocol === 'https:'
    ? undefined
    : `${variable} is not an http URL`
}
