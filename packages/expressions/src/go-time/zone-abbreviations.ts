/** The letters that the IANA database gives a zone's standard and daylight-saving time, by its current rules. A zone that is
 *  not here has no letters: its offset is its name, such as `+03`. */
export const zoneAbbreviations: Readonly<Record<string, string>> = {
  ACST: 'Australia/Darwin Australia/North',
  'ACST ACDT': 'Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna',
  AEST: 'Australia/Brisbane Australia/Lindeman Australia/Queensland',
  'AEST AEDT':
    'Antarctica/Macquarie Australia/ACT Australia/Canberra Australia/Currie Australia/Hobart ' +
    'Australia/Melbourne Australia/NSW Australia/Sydney Australia/Tasmania Australia/Victoria',
  'AKST AKDT':
    'America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka America/Yakutat US/Alaska',
  AST:
    'America/Anguilla America/Antigua America/Aruba America/Barbados America/Blanc-Sablon America/Curacao ' +
    'America/Dominica America/Grenada America/Guadeloupe America/Kralendijk America/Lower_Princes ' +
    'America/Marigot America/Martinique America/Montserrat America/Port_of_Spain America/Puerto_Rico ' +
    'America/Santo_Domingo America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas ' +
    'America/St_Vincent America/Tortola America/Virgin',
  'AST ADT':
    'America/Glace_Bay America/Goose_Bay America/Halifax America/Moncton America/Thule Atlantic/Bermuda ' +
    'Canada/Atlantic',
  AWST: 'Australia/Perth Australia/West',
  CAT:
    'Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum Africa/Kigali ' +
    'Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Windhoek',
  CET: 'Africa/Algiers Africa/Tunis',
  'CET CEST':
    'Africa/Ceuta Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam Europe/Andorra Europe/Belgrade ' +
    'Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen ' +
    'Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo ' +
    'Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje ' +
    'Europe/Stockholm Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb ' +
    'Europe/Zurich Poland',
  CST:
    'America/Bahia_Banderas America/Belize America/Chihuahua America/Costa_Rica America/El_Salvador ' +
    'America/Guatemala America/Managua America/Merida America/Mexico_City America/Monterrey America/Regina ' +
    'America/Swift_Current America/Tegucigalpa Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao ' +
    'Asia/Macau Asia/Shanghai Asia/Taipei Canada/Saskatchewan Mexico/General PRC ROC',
  'CST CDT':
    'America/Chicago America/Havana America/Indiana/Knox America/Indiana/Tell_City America/Knox_IN ' +
    'America/Matamoros America/Menominee America/North_Dakota/Beulah America/North_Dakota/Center ' +
    'America/North_Dakota/New_Salem America/Ojinaga America/Rainy_River America/Rankin_Inlet America/Resolute ' +
    'America/Winnipeg CST6CDT Canada/Central Cuba US/Central US/Indiana-Starke',
  ChST: 'Pacific/Guam Pacific/Saipan',
  EAT:
    'Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala ' +
    'Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte',
  EET: 'Africa/Tripoli Europe/Kaliningrad Libya',
  'EET EEST':
    'Africa/Cairo Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia EET Egypt Europe/Athens ' +
    'Europe/Bucharest Europe/Chisinau Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia ' +
    'Europe/Riga Europe/Sofia Europe/Tallinn Europe/Tiraspol Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye',
  EST:
    'America/Atikokan America/Cancun America/Cayman America/Coral_Harbour America/Jamaica America/Panama EST ' +
    'Jamaica',
  'EST EDT':
    'America/Detroit America/Fort_Wayne America/Grand_Turk America/Indiana/Indianapolis ' +
    'America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay America/Indiana/Vincennes ' +
    'America/Indiana/Winamac America/Indianapolis America/Iqaluit America/Kentucky/Louisville ' +
    'America/Kentucky/Monticello America/Louisville America/Montreal America/Nassau America/New_York ' +
    'America/Nipigon America/Pangnirtung America/Port-au-Prince America/Thunder_Bay America/Toronto ' +
    'Canada/Eastern EST5EDT US/East-Indiana US/Eastern US/Michigan posixrules',
  GMT:
    'Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry Africa/Dakar ' +
    'Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott Africa/Ouagadougou Africa/Sao_Tome ' +
    'Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 ' +
    'Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland',
  'GMT BST': 'Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB GB-Eire',
  HKT: 'Asia/Hong_Kong Hongkong',
  HST: 'HST Pacific/Honolulu Pacific/Johnston US/Hawaii',
  'HST HDT': 'America/Adak America/Atka US/Aleutian',
  IST: 'Asia/Calcutta Asia/Kolkata',
  'GMT IST': 'Eire Europe/Dublin',
  'IST IDT': 'Asia/Jerusalem Asia/Tel_Aviv Israel',
  JST: 'Asia/Tokyo Japan',
  KST: 'Asia/Pyongyang Asia/Seoul ROK',
  'MET MEST': 'MET',
  MSK: 'Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU',
  MST:
    'America/Creston America/Dawson America/Dawson_Creek America/Fort_Nelson America/Hermosillo ' +
    'America/Mazatlan America/Phoenix America/Whitehorse Canada/Yukon MST Mexico/BajaSur US/Arizona',
  'MST MDT':
    'America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Denver America/Edmonton America/Inuvik ' +
    'America/Shiprock America/Yellowknife Canada/Mountain MST7MDT Navajo US/Mountain',
  'NST NDT': 'America/St_Johns Canada/Newfoundland',
  'NZST NZDT': 'Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland',
  PKT: 'Asia/Karachi',
  PST: 'Asia/Manila',
  'PST PDT':
    'America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana America/Vancouver ' +
    'Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific',
  SAST: 'Africa/Johannesburg Africa/Maseru Africa/Mbabane',
  SST: 'Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa',
  UTC: 'Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu localtime',
  WAT:
    'Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville ' +
    'Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo',
  'WET WEST': 'Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon Portugal WET',
  WIB: 'Asia/Jakarta Asia/Pontianak',
  WIT: 'Asia/Jayapura',
  WITA: 'Asia/Makassar Asia/Ujung_Pandang',
}
