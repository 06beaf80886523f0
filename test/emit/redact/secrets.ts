/** Made here and not written out: no scanner of repositories takes them for real ones, and none is anybody's. */
const ALPHABET = 'aB3dE5gH7jK9mN2pQ4rS6tU8vW';
const chars = (length: number, from = ALPHABET): string =>
  Array.from({ length }, (_, i) => from[(i * 7 + length) % from.length]).join('');
const hex = (length: number): string => chars(length, '3f9a0c7e51b8d264');
const upper = (length: number): string => chars(length, 'Q7W2E5R3T6Y4UIOPA');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const jwt = `${base64('{"alg":"HS256"}').replace(/=/g, '')}.${base64('{"sub":"1234567890"}').replace(/=/g, '')}.${chars(43)}`;
const uuid = '0b9d2c1e-5f3a-4e7b-9c8d-1a2b3c4d5e6f';

/** What a secret is, a text in which it stands, and the part that must not be seen. */
export interface Sample {
  readonly shape: string;
  readonly text: string;
  readonly secret: string;
}

const alone = (shape: string, secret: string): Sample => ({ shape, text: `it printed ${secret} there`, secret });
const within = (shape: string, before: string, secret: string, after = ''): Sample => ({
  shape,
  text: `${before}${secret}${after}`,
  secret,
});

export const PEM = `-----BEGIN RSA PRIVATE ${'KEY'}-----\n${chars(64)}\n${chars(64)}\n${chars(20)}==\n-----END RSA PRIVATE ${'KEY'}-----`;

export const BY_LOOK: readonly Sample[] = [
  alone('github classic', `ghp_${chars(36)}`),
  alone('github oauth', `gho_${chars(36)}`),
  alone('github app', `ghs_${chars(36)}`),
  alone('github refresh', `ghr_${chars(36)}`),
  alone('github fine-grained', `github_pat_${chars(22)}_${chars(59)}`),
  alone('gitlab personal', `glpat-${chars(20)}`),
  alone('gitlab runner', `glrt-${chars(20)}`),
  alone('gitlab deploy', `gldt-${chars(20)}`),
  alone('aws key id', `AKIA${upper(16)}`),
  alone('aws session key id', `ASIA${upper(16)}`),
  alone('slack bot', `xoxb-123456789012-1234567890123-${chars(24)}`),
  alone('slack user', `xoxp-123456789012-123456789012-123456789012-${hex(32)}`),
  alone('slack app', `xapp-1-A0123456789-1234567890123-${hex(64)}`),
  alone('slack webhook', `hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/${chars(24)}`),
  alone('stripe secret', `sk_live_${chars(24)}`),
  alone('stripe restricted', `rk_test_${chars(24)}`),
  alone('stripe webhook', `whsec_${chars(32)}`),
  alone('anthropic', `sk-ant-api03-${chars(93)}AA`),
  alone('openai project', `sk-proj-${chars(74)}T3BlbkFJ${chars(20)}`),
  alone('openai', `sk-${chars(48)}`),
  alone('openrouter', `sk-or-v1-${hex(64)}`),
  alone('google api', `AIza${chars(35)}`),
  alone('google oauth token', `ya29.${chars(60)}`),
  alone('google oauth client', `GOCSPX-${chars(28)}`),
  alone('azure ad', `abc8Q~${chars(34)}`),
  alone('npm', `npm_${chars(36)}`),
  alone('pypi', `pypi-AgEIcHlwaS5vcmc${chars(70)}`),
  alone('sendgrid', `SG.${chars(22)}.${chars(43)}`),
  alone('twilio', `SK${hex(32)}`),
  alone('google refresh', `1//0${chars(60)}`),
  alone('nvidia', `nvapi-${chars(64)}`),
  alone('cerebras', `csk-${chars(48).toLowerCase()}`),
  alone('braintree', `access_token$production$${hex(16)}$${hex(32)}`),
  alone('dropbox', `sl.u.${chars(130)}`),
  alone('sourcegraph', `sgp_${hex(16)}_${hex(40)}`),
  alone('docker swarm', `SWMTKN-1-${chars(50).toLowerCase()}-${chars(25).toLowerCase()}`),
  alone('fcm', `AAAA${chars(7)}:APA91b${chars(134)}`),
  alone('twitter', `${'A'.repeat(21)}${chars(60)}%3D${chars(20)}`),
  alone('nuget', `oy2${chars(43).toLowerCase()}`),
  alone('encrypted jwt', `eyJ${chars(30)}..${chars(16)}.${chars(40)}.${chars(22)}`),
  alone('lark webhook', `open.feishu.cn/open-apis/bot/v2/hook/${uuid}`),
  alone('mailgun', `key-${hex(32)}`),
  alone('mailchimp', `${hex(32)}-us12`),
  alone('digitalocean', `dop_v1_${hex(64)}`),
  alone('shopify', `shpat_${hex(32)}`),
  alone('vault', `hvs.${chars(95)}`),
  alone('terraform', `${chars(14)}.atlasv1.${chars(64)}`),
  alone('databricks', `dapi${hex(32)}`),
  alone('docker', `dckr_pat_${chars(27)}`),
  alone('hugging face', `hf_${chars(34)}`),
  alone('groq', `gsk_${chars(52)}`),
  alone('replicate', `r8_${chars(37)}`),
  alone('perplexity', `pplx-${chars(48)}`),
  alone('notion', `ntn_${chars(46)}`),
  alone('linear', `lin_api_${chars(40)}`),
  alone('figma', `figd_${chars(40)}`),
  alone('postman', `PMAK-${hex(24)}-${hex(34)}`),
  alone('pulumi', `pul-${hex(40)}`),
  alone('rubygems', `rubygems_${hex(48)}`),
  alone('grafana', `glsa_${chars(32)}_${hex(8)}`),
  alone('new relic', `NRAK-${upper(27)}`),
  alone('sentry', `sntrys_${chars(80)}`),
  alone('doppler', `dp.pt.${chars(43)}`),
  alone('planetscale', `pscale_tkn_${chars(43)}`),
  alone('supabase', `sbp_${hex(40)}`),
  alone('atlassian', `ATATT3${chars(180)}`),
  alone('square', `sq0atp-${chars(22)}`),
  alone('telegram', `1234567890:AA${chars(33)}`),
  alone('discord bot', `M${chars(23)}.${chars(6)}.${chars(30)}`),
  alone('1password', `ops_eyJ${chars(120)}`),
  alone('vercel', `vcp_1${chars(55)}`),
  alone('anyscale', `esecret_${chars(26)}`),
  alone('wandb', `wandb_v1_${chars(27)}_${chars(48)}`),
  alone('age', `AGE-SECRET-KEY-1${upper(58)}`),
  alone('jwt', jwt),
  { shape: 'private key', text: `the key\n${PEM}\nand on`, secret: PEM.slice(40, 90) },
];

export const BY_PLACE: readonly Sample[] = [
  within('basic auth of a url', 'git clone https://me:', 's3cr3t-pass', '@example.com/a.git'),
  within('token of a url', 'https://', hex(32), '@sentry.example.com/42'),
  within('connection string, url', 'postgres://app:', 'hunter2!', '@db.example.com:5432/app'),
  within('connection string, redis', 'redis://:', 'hunter2', '@localhost:6379'),
  within('connection string, pairs', 'Server=db;User Id=app;Password=', 'hunter2', ';Database=a'),
  within('azure storage', 'AccountName=a;AccountKey=', `${chars(86)}==`, ';EndpointSuffix=core.windows.net'),
  within('azure sas', 'https://a.blob.core.windows.net/c?sv=2024-01-01&sig=', `${chars(40)}%3D`, '&se=2026'),
  within('bearer', 'Authorization: Bearer ', 'abc.def-123'),
  within('bearer without its name', 'sent "Bearer ', chars(24), '"'),
  within('basic', 'Authorization: Basic ', base64('me:hunter2')),
  within('basic without its name', 'sent Basic ', base64('me:hunter2'), ' there'),
  within('x-api-key', "curl -H 'X-Api-Key: ", 'abcdef123456', "' https://example.com"),
  within('cookie', "curl -H 'Cookie: ", 'sid=abc123; theme=dark', "' https://example.com"),
  within('set-cookie', 'Set-Cookie: ', 'sid=abc123', '; Path=/; HttpOnly'),
  within('curl -u', 'curl -u admin:', 's3cr3t', ' https://example.com'),
  within('curl --user', 'curl --user "admin:', 's3 cr3t', '" https://example.com'),
  within('--password X', 'deploy --password ', 'hunter2', ' --yes'),
  within('--password=X', 'deploy --password=', 'hunter2', ' --yes'),
  within('--token X', 'npm publish --token ', 'letmein', ' --access public'),
  within('arguments', '["deploy","--api-key","', 'letmein', '"]'),
  within('continued line', 'deploy --password \\\n  ', 'hunter2', ' --yes'),
  within('mysql -p', 'mysql -uroot -p', 'hunter2', ' app'),
  within('sshpass', 'sshpass -p ', 'hunter2', ' ssh example.com'),
  within('docker login', 'docker login -u me -p ', 'hunter2', ' registry.example.com'),
  within('redis-cli', 'redis-cli -a ', 'hunter2', ' ping'),
  within('export', 'export API_TOKEN=', 'letmein', ' && run'),
  within('export, quoted', 'export DB_PASSWORD="', 'correct horse', '"'),
  within('before a command', 'PGPASSWORD=', 'letmein', ' psql -h db'),
  within('.env', 'A=1\nSTRIPE_SECRET_KEY=', 'abc,def', '\nB=2'),
  within('aws secret', 'aws_secret_access_key = ', `${chars(20)}/${chars(19)}`),
  within('yaml', 'db:\n  password: ', 'hunter2', '\n  user: app'),
  within('json', '{"user":"app","password":"', 'hunter2', '"}'),
  within('json in json', '{"body":"{\\"client_secret\\":\\"', 'abc123def', '\\"}"}'),
  within('toml', 'api_key = "', 'abc123def456', '"'),
  within('xml', '<server><password>', 'hunter2', '</password></server>'),
  within('query', 'https://example.com/?user=a&access_token=', 'letmein', '&x=1'),
  within('netrc', 'machine example.com login me password ', 'hunter2'),
  within('sql', "CREATE USER app IDENTIFIED BY '", 'hunter2', "';"),
  within('php', "$password = '", 'hunter2', "';"),
  within('heroku key', 'HEROKU_API_KEY=', uuid),
];

export const SAMPLES: readonly Sample[] = [...BY_LOOK, ...BY_PLACE];
