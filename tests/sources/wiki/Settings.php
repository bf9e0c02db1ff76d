<?php
# What the wiki for tests has besides MediaWiki's defaults; the fixture adds the addresses and folders.
wfLoadExtension( 'Cite' );
wfLoadExtension( 'TextExtracts' );

$wgRightsText = 'Creative Commons Attribution-Share Alike 4.0';
$wgRightsUrl = 'https://creativecommons.org/licenses/by-sa/4.0/';
$wgEnableUploads = true;
$wgUseImageMagick = false;
$wgJobRunRate = 0;
$wgMainCacheType = CACHE_NONE;
$wgCapitalLinks = true;

# As the extension Disambiguator does: a page with __DISAMBIG__ has a page property that says so.
$wgExtensionMessagesFiles['TestDisambiguation'] = __DIR__ . '/Disambiguation.magic.php';
$wgHooks['GetDoubleUnderscoreIDs'][] = static function ( array &$ids ) {
	$ids[] = 'disambiguation';
};

# As the extension CommonsMetadata does: a file's page says its licence in elements of these classes.
$wgExtensionCredits['media'][] = [ 'path' => __FILE__, 'name' => 'CommonsMetadata' ];
$wgHooks['GetExtendedMetadata'][] = static function ( array &$metadata, File $file ) {
	$classes = [
		'licensetpl_short' => 'LicenseShortName',
		'licensetpl_attr' => 'Artist',
		'licensetpl_nonfree' => 'NonFree',
	];
	$html = str_replace( '&#95;', '_', $file->getDescriptionText() ?: '' );
	foreach ( $classes as $class => $name ) {
		if ( preg_match( '/class="' . $class . '">(.*?)<\/span>/s', $html, $found ) ) {
			$metadata[$name] = [ 'value' => $found[1], 'source' => 'commons-desc-page' ];
		}
	}
};
