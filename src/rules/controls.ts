import { matchesGlob } from '../model/glob.ts'

/** A control of a framework (src/rules/frameworks.ts), and why some rules give evidence for it. */
export interface Control {
  /** `framework:identifier`, as reports show it. */
  readonly id: string
  readonly evidence: readonly Evidence[]
}

export interface Evidence {
  /** Rule ids; `*` stands for any text. */
  readonly rules: readonly string[]
  readonly because: string
}

const signing = [
  'drift/secret-changed',
  'endpoint/secret-*',
  'endpoint/signature-simple',
  'project/signature-weak',
  'project/replay-protection-off',
]
const credentials = [
  'drift/authentication-lost',
  'endpoint/auth-*',
  'endpoint/oauth-*',
  'endpoint/mtls-*',
  'endpoint/url-credentials',
]
const verification = [
  'drift/verification-weakened',
  'source/unverified',
  'source/hmac-*',
  'source/verifier-*',
  'source/provider-mismatch',
]
const encryption = [
  'endpoint/url-not-https',
  'endpoint/auth-over-http',
  'endpoint/oauth-url-http',
  'endpoint/mtls-over-http',
  'source/url-not-https',
  'source/queue-plaintext',
  'project/tls-not-enforced',
  'project/meta-event-insecure',
]
const destinations = ['drift/url-host-changed', 'endpoint/url-*', 'endpoint/oauth-url-private']
const availability = [
  'endpoint/timeout-*',
  'endpoint/rate-limit-*',
  'endpoint/inactive',
  'endpoint/paused-long',
  'endpoint/status-unknown',
  'endpoint/failure-rate-high',
  'endpoint/orphan',
  'subscription/target-*',
  'subscription/retry-*',
  'subscription/at-most-once',
  'subscription/rate-limit-odd',
  'project/retry-*',
  'project/rate-limit-ineffective',
  'project/disable-endpoint-off',
  'source/disabled',
  'source/dead-letter-missing',
  'source/idempotency-missing',
  'source/function-broken',
  'probe/*',
]
const configuration = [
  'endpoint/owner-missing',
  'endpoint/name-convention',
  'endpoint/url-duplicate',
  'subscription/duplicate',
  'subscription/wildcard*',
  'subscription/type-cli',
  'subscription/filter-unsatisfiable',
  'subscription/event-type-odd',
  'subscription/function-suspicious',
  'probe/*',
]
/** Exceptions that somebody accepted: an auditor asks for these first. */
const exceptions = ['waiver/*']
/** What differs from what was approved, or from what there was. */
const drift = ['drift/*', 'project/vanished', 'project/mass-removal']
const alerting = ['endpoint/alert-contact-*', 'subscription/alert-odd', 'endpoint/failure-rate-high']

/** Which rules give evidence for which controls, and why. Evidence is not compliance: a report says what was looked at. */
export const controls: readonly Control[] = [
  {
    id: 'soc2:CC6.1',
    evidence: [
      {
        rules: credentials,
        because: 'Credentials presented to receivers must exist, be strong, and belong to one destination.',
      },
      {
        rules: verification,
        because: 'A source that verifies its senders is the access control of the ingest address.',
      },
      { rules: signing, because: 'Signing secrets let a receiver tell the gateway from anyone else.' },
      { rules: ['source/queue-static-keys'], because: 'Long-lived cloud keys are credentials that nobody rotates.' },
    ],
  },
  {
    id: 'soc2:CC6.7',
    evidence: [
      { rules: encryption, because: 'Event data and credentials must travel encrypted to their destination.' },
      {
        rules: destinations,
        because: 'Data must go to the destinations that were meant, and to no internal or throw-away address.',
      },
    ],
  },
  {
    id: 'soc2:CC7.1',
    evidence: [{ rules: ['*'], because: 'Every rule compares the running configuration with the policy, run by run.' }],
  },
  {
    id: 'soc2:CC7.2',
    evidence: [{ rules: alerting, because: 'Someone must be told when deliveries fail, and must be reachable.' }],
  },
  {
    id: 'soc2:CC8.1',
    evidence: [
      {
        rules: configuration,
        because: 'Duplicates, dead filters and unowned endpoints are the traces of changes that nobody reviewed.',
      },
      {
        rules: drift,
        because: 'What differs from an approved state, or from the last look, is a change to account for.',
      },
      { rules: exceptions, because: 'An accepted deviation has an owner, a reason and an end, and none outlives it.' },
    ],
  },
  {
    id: 'soc2:A1.2',
    evidence: [
      {
        rules: availability,
        because: 'Retries, rate limits, time-outs and active destinations decide whether events arrive.',
      },
    ],
  },
  {
    id: 'iso27001:A.5.17',
    evidence: [
      {
        rules: [...signing, ...credentials],
        because: 'Secrets must be strong, rotated, not shared and not readable by others.',
      },
      {
        rules: ['source/verifier-*', 'source/hmac-*', 'source/queue-static-keys'],
        because: "The sources' own secrets fall under the same rules.",
      },
    ],
  },
  {
    id: 'iso27001:A.8.5',
    evidence: [
      {
        rules: [...verification, ...credentials],
        because: 'Each side of a delivery must prove who it is by a method that cannot be replayed or guessed.',
      },
    ],
  },
  {
    id: 'iso27001:A.8.9',
    evidence: [
      { rules: ['*'], because: 'The configuration is compared with a documented policy and with its own past.' },
    ],
  },
  {
    id: 'iso27001:A.8.16',
    evidence: [
      { rules: alerting, because: 'Failing deliveries must reach a person.' },
      {
        rules: drift,
        because: 'Weakened protections, mass removals and flapping settings are anomalies to look into.',
      },
    ],
  },
  {
    id: 'iso27001:A.8.20',
    evidence: [
      {
        rules: [...destinations, ...encryption],
        because: 'A gateway that can be pointed at internal addresses crosses the network boundary for an attacker.',
      },
    ],
  },
  {
    id: 'iso27001:A.8.24',
    evidence: [
      {
        rules: [...encryption, ...signing],
        because: 'Transport encryption and signatures must be in force, with algorithms that hold.',
      },
      {
        rules: ['source/hmac-weak', 'endpoint/mtls-*', 'endpoint/oauth-algorithm-mismatch'],
        because: 'Outdated hashes, keys and certificates weaken what they protect.',
      },
    ],
  },
  {
    id: 'iso27001:A.8.32',
    evidence: [
      { rules: configuration, because: 'What no review would have let through shows that a change went around it.' },
      { rules: drift, because: 'The running configuration is compared with the state that was approved.' },
      { rules: exceptions, because: 'Exceptions are granted for a time, and their end is watched.' },
    ],
  },
  {
    id: 'pci-dss:2.2',
    evidence: [
      { rules: ['*'], because: 'Each rule is one point of a configuration standard, checked on the running system.' },
    ],
  },
  {
    id: 'pci-dss:3.6',
    evidence: [
      {
        rules: ['endpoint/secret-*', 'endpoint/oauth-key-exposed', 'source/verifier-shared', 'source/hmac-*'],
        because: 'Keys must be strong, single-purpose, replaced in time and not readable.',
      },
    ],
  },
  {
    id: 'pci-dss:4.2',
    evidence: [{ rules: encryption, because: 'No delivery and no credential may travel in clear.' }],
  },
  {
    id: 'pci-dss:8.3',
    evidence: [
      {
        rules: ['endpoint/auth-*', 'source/verifier-*', 'source/unverified'],
        because: 'Authentication factors must exist and withstand guessing.',
      },
    ],
  },
  {
    id: 'pci-dss:8.6',
    evidence: [
      {
        rules: [...credentials, 'source/queue-static-keys', 'endpoint/secret-*'],
        because: 'Machine credentials must not be shared, static or weak.',
      },
    ],
  },
  {
    id: 'pci-dss:11.5',
    evidence: [
      {
        rules: ['*'],
        because: 'Changes and violations are found by the next run and kept with the run that found them.',
      },
    ],
  },
  {
    id: 'nist-csf:PR.AA',
    evidence: [
      {
        rules: [...credentials, ...verification, ...signing],
        because: 'Senders and receivers are authenticated by secrets that hold.',
      },
    ],
  },
  {
    id: 'nist-csf:PR.DS',
    evidence: [
      {
        rules: [...encryption, ...destinations],
        because: 'Data in transit is encrypted and goes where it was meant to go.',
      },
    ],
  },
  {
    id: 'nist-csf:PR.PS',
    evidence: [{ rules: ['*'], because: "The gateway's configuration is managed against a baseline." }],
  },
  {
    id: 'nist-csf:DE.CM',
    evidence: [
      {
        rules: [...alerting, ...availability, ...drift],
        because:
          'Adverse events show as destinations that fail, stop or cannot be reached, and as changes that weaken.',
      },
    ],
  },
]

/** The controls that a rule gives evidence for, in the order of the table. */
export function controlsOf(rule: string): string[] {
  return controls
    .filter(({ evidence }) => evidence.some(({ rules }) => rules.some((pattern) => matchesGlob(rule, pattern))))
    .map(({ id }) => id)
}
