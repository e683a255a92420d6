# `ruby-unleash` of Debian: the library for Ruby, as the programs in JavaScript ask.

require 'json'
require 'unleash'

$stdout.sync = true

def say(line)
  puts JSON.generate(line)
end

client = Unleash::Client.new(
  url: "#{ENV.fetch('ECOSYSTEM_URL')}/api",
  app_name: ENV.fetch('ECOSYSTEM_APPLICATION'),
  custom_http_headers: { 'Authorization' => ENV.fetch('ECOSYSTEM_CLIENT_TOKEN') },
  refresh_interval: 1,
  metrics_interval: 1,
  backup_file: File.join(ENV.fetch('ECOSYSTEM_DIRECTORY'), 'features.json'),
  logger: Logger.new($stderr)
)
seven = Unleash::Context.new(user_id: '7')
eight = Unleash::Context.new(user_id: '8')
# Without one of its own the library fails, since it takes `nil` for one.
none = Unleash::Variant.new(name: 'none')
value = { 'string' => ->(text) { text }, 'number' => ->(text) { JSON.parse(text) }, 'json' => ->(text) { JSON.parse(text) } }

say(flag: 'field.seven', context: '8', value: client.is_enabled?('field.seven', eight))
%w[everyone nobody seven moving missing].each do |name|
  say(flag: "field.#{name}", context: '7', value: client.is_enabled?("field.#{name}", seven))
end
{ 'text' => 'string', 'number' => 'number', 'json' => 'json' }.each do |name, type|
  variant = client.get_variant("field.#{name}", seven, none)
  answer = variant.payload && variant.payload['type'] == type ? value[type].call(variant.payload['value']) : variant.name
  say(flag: "field.#{name}", context: '7', value: answer)
end
say(asked: true)
sleep 0.1 until client.is_enabled?('field.moving', seven)
say(arrived: true)
$stdin.read
client.shutdown
