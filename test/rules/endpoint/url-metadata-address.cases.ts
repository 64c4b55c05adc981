import { anEndpoint, type Case, type Cases } from '../rule-cases.ts'

const found = (url: string, host: string): Case => ({
  sees: [anEndpoint({ url })],
  finds: [`critical e1/url: ${host} is a cloud metadata address: deliveries can expose the gateway's own credentials`],
})
const silent = (url: string): Case => ({ sees: [anEndpoint({ url })] })

export const cases: Cases = {
  'finds the address of most clouds': found('http://169.254.169.254/latest/meta-data', '169.254.169.254'),
  'finds any other of its range': found('https://169.254.170.2/v2/credentials', '169.254.170.2'),
  'finds it written as one number': found('http://2852039166/', '169.254.169.254'),
  'finds it written in hexadecimal': found('http://0xA9FEA9FE/', '169.254.169.254'),
  'finds it written in octal': found('http://0251.0376.0251.0376/', '169.254.169.254'),
  'finds it written short': found('http://169.254.43518/', '169.254.169.254'),
  'finds it wrapped in IPv6': found('http://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe'),
  'finds it behind NAT64': found('http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'),
  'finds it behind a port, credentials and blanks': found('  http://sealed:x@169.254.169.254:80/ ', '169.254.169.254'),
  'finds the IPv6 address of AWS': found('http://[fd00:ec2::254]/', 'fd00:ec2::254'),
  'finds the address of Alibaba': found('http://100.100.100.200/', '100.100.100.200'),
  'finds the address of Oracle': found('http://192.0.0.192/', '192.0.0.192'),
  'finds the name of Google, in any case and with a final dot': found(
    'http://Metadata.Google.Internal./computeMetadata',
    'metadata.google.internal',
  ),
  'leaves a name that only begins like one alone': silent('https://metadata.google.internal.example.com/'),
  'leaves a public address alone': silent('https://203.0.113.7/'),
  'leaves the neighbours of the range alone': silent('https://169.255.0.1/'),
  'leaves a path that names it alone': silent('https://hooks.example.com/169.254.169.254'),
  'is silent about what does not parse': silent('http://[169.254.169.254/'),
  'is silent where the address is empty': { sees: [anEndpoint({ url: null })] },
}
